import { caretDownIcon, caretRightIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { ICellPlace } from '../../model';
import type { RunView } from '../../protocol';
import { parentOf, rowsOf, type IRow } from '../../tree';
import { duration } from '../common/format';
import { useKit, useNow, useSignal } from '../common/kit';
import { NodeStatus } from '../common/status-icon';
import { VirtualList } from '../common/virtual-list';
import { actionWords, behaviorWords } from '../plan-words';

const ROW_HEIGHT = 26;
const MAX_ROWS = 24;

/** The plan as a tree, with what became of each part. Click: the notebook goes to its cells. */
export function PlanTree({ run }: { run: RunView }): React.JSX.Element | null {
  const { trans, feed, model, link } = useKit();
  useSignal(feed.changed, part => part === 'activity');
  React.useEffect(() => feed.watch('activity'), [feed]);
  const [opened, setOpened] = React.useState<ReadonlyMap<string, boolean>>(
    new Map()
  );
  const [focused, setFocused] = React.useState<string | null>(null);
  const list = React.useRef<HTMLDivElement>(null);
  const selected = keyOfCell(model.cellPlace, run.id);
  const now = useNow(run.ended_at === null) - model.clockLead;
  const rows = rowsOf(
    run.progress,
    feed.tree,
    (key, active) =>
      opened.get(key) ?? (active || (selected?.startsWith(`${key}/`) ?? false))
  );
  // A cell whose node is folded away shows at the nearest node that is not.
  const shownAs = nearest(rows, selected);
  const current = rows.some(({ key }) => key === focused)
    ? focused
    : (shownAs ?? rows[0]?.key ?? null);

  const toggle = (row: IRow, open: boolean): void => {
    setOpened(new Map(opened).set(row.key, open));
  };
  const go = (row: IRow): void => {
    setFocused(row.key);
    const { node } = row;
    if (node) {
      void link.reveal(run.notebook, {
        run: run.id,
        stage: node.stage_id,
        step: node.step_id,
        iteration: node.iteration,
        action: node.action_id,
        cellId: node.cell_id
      });
    }
  };
  const focusRow = (key: string | undefined): void => {
    if (key !== undefined) {
      setFocused(key);
      const rowNode = list.current?.querySelector<HTMLElement>(
        `[data-key="${CSS.escape(key)}"]`
      );
      rowNode?.focus();
    }
  };
  const onKey = (
    event: React.KeyboardEvent,
    row: IRow,
    index: number
  ): void => {
    switch (event.key) {
      case 'ArrowDown':
        focusRow(rows[index + 1]?.key);
        break;
      case 'ArrowUp':
        focusRow(rows[index - 1]?.key);
        break;
      case 'ArrowRight':
        if (row.children > 0 && !row.expanded) {
          toggle(row, true);
        } else {
          focusRow(rows[index + 1]?.key);
        }
        break;
      case 'ArrowLeft':
        if (row.expanded) {
          toggle(row, false);
        } else {
          focusRow(parentOf(row.key) || undefined);
        }
        break;
      case 'Enter':
      case ' ':
        go(row);
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  if (rows.length === 0) {
    return null;
  }
  return (
    <section
      className="bcc-Plan"
      data-still={run.status !== 'running'}
      aria-label={trans.__('Plan')}
      ref={list}
    >
      <h3 className="bcc-Label">{run.progress.workflow || trans.__('Plan')}</h3>
      <VirtualList
        role="tree"
        label={trans.__('Plan')}
        items={rows}
        rowHeight={ROW_HEIGHT}
        maxRows={MAX_ROWS}
        keyOf={row => row.key}
        reveal={rows.findIndex(row => row.key === shownAs)}
        render={(row, index) => (
          <PlanRow
            row={row}
            now={now}
            trans={trans}
            tabIndex={row.key === current ? 0 : -1}
            selected={row.key === shownAs}
            onGo={() => {
              go(row);
            }}
            onToggle={() => {
              toggle(row, !row.expanded);
            }}
            onKey={event => {
              onKey(event, row, index);
            }}
          />
        )}
      />
    </section>
  );
}

interface IPlanRowProps {
  row: IRow;
  now: number;
  trans: TranslationBundle;
  tabIndex: number;
  selected: boolean;
  onGo: () => void;
  onToggle: () => void;
  onKey: (event: React.KeyboardEvent) => void;
}

function PlanRow(props: IPlanRowProps): React.JSX.Element {
  const { row, trans, now } = props;
  const { node } = row;
  const Caret = row.expanded ? caretDownIcon : caretRightIcon;
  const facts = node ? factsOf(row, now, trans) : [];
  const name = nameOf(row, trans);
  return (
    <div
      role="treeitem"
      className="bcc-PlanRow"
      data-key={row.key}
      data-level={row.level}
      data-status={row.status}
      style={{ '--bcc-level': row.level } as React.CSSProperties}
      aria-level={row.level}
      aria-selected={props.selected}
      {...(row.children > 0 && { 'aria-expanded': row.expanded })}
      tabIndex={props.tabIndex}
      title={[name, node?.words, node?.error].filter(Boolean).join('\n')}
      onClick={props.onGo}
      onKeyDown={props.onKey}
    >
      <span
        className="bcc-PlanRow-caret"
        aria-hidden="true"
        onClick={event => {
          if (row.children > 0) {
            event.stopPropagation();
            props.onToggle();
          }
        }}
      >
        {row.children > 0 && <Caret.react tag="span" />}
      </span>
      <NodeStatus status={row.status} trans={trans} />
      <span className="bcc-PlanRow-name">{name}</span>
      <span className="bcc-PlanRow-facts">{facts.join(' · ')}</span>
    </div>
  );
}

function nameOf(row: IRow, trans: TranslationBundle): string {
  switch (row.level) {
    case 3:
      return behaviorWords(row.name, row.node?.iteration ?? 0, trans);
    case 4:
      return actionWords(row.name, trans);
    case 1:
    case 2:
      return row.name;
  }
}

function factsOf(row: IRow, now: number, trans: TranslationBundle): string[] {
  const { node } = row;
  if (!node) {
    return [];
  }
  const facts: string[] = [];
  if (node.attempts > 1) {
    facts.push(trans.__('%1 attempts', String(node.attempts)));
  }
  if (row.level === 3 && row.children > 0) {
    facts.push(trans._n('%1 action', '%1 actions', row.children));
  }
  const end = node.ended_at === null ? now : Date.parse(node.ended_at);
  const spent = end - Date.parse(node.started_at);
  if (spent >= 50 && row.status !== 'pending') {
    facts.push(duration(spent, trans));
  }
  return facts;
}

function keyOfCell(place: ICellPlace | null, run: string): string | null {
  if (place?.run !== run) {
    return null;
  }
  const parts = [place.stage, place.step, place.iteration, place.action];
  const known = parts.findIndex(part => part === undefined);
  return parts.slice(0, known < 0 ? undefined : known).join('/');
}

function nearest(rows: readonly IRow[], key: string | null): string | null {
  const keys = new Set(rows.map(row => row.key));
  let wanted = key ?? '';
  while (wanted && !keys.has(wanted)) {
    wanted = parentOf(wanted);
  }
  return wanted || null;
}
