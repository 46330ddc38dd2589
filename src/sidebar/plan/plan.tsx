import React from 'react';

import type { ICellPlace } from '../../notebook/provenance';
import type { RunView } from '../../protocol';
import { parentOf, PlanRows, type IRow } from '../../runs/tree';
import { workClock } from '../../runs/work-time';
import { useKit, useNow, useSignal } from '../common/kit';
import { VirtualList } from '../common/virtual-list';
import { NodeDetail } from './node-detail';
import { PlanRow, type IRowOrders } from './plan-row';

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
  const clock = workClock(run, now);
  const rows = new PlanRows(
    run.progress,
    feed.tree,
    (key, active) =>
      opened.get(key) ?? (active || (selected?.startsWith(`${key}/`) ?? false)),
    run.status === 'cancelled'
  );
  // A cell whose node is folded away shows at the nearest node that is not.
  const shownAs = nearest(rows, selected);
  const shownAt = shownAs === null ? -1 : rows.indexOf(shownAs);
  const focusedAt = focused === null ? -1 : rows.indexOf(focused);
  const currentAt = focusedAt >= 0 ? focusedAt : shownAt >= 0 ? shownAt : 0;
  const current = rows.at(currentAt);

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
  const onKey = (event: React.KeyboardEvent, row: IRow): void => {
    const index = rows.indexOf(row.key);
    switch (event.key) {
      case 'ArrowDown':
        focusRow(rows.at(index + 1)?.key);
        break;
      case 'ArrowUp':
        focusRow(rows.at(index - 1)?.key);
        break;
      case 'ArrowRight':
        if (row.children > 0 && !row.expanded) {
          toggle(row, true);
        } else {
          focusRow(rows.at(index + 1)?.key);
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
  const orders = React.useRef<IRowOrders | null>(null);
  React.useLayoutEffect(() => {
    orders.current = { go, toggle, key: onKey };
  });

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
        reveal={shownAt}
        render={(row, index) => (
          <PlanRow
            row={row}
            clock={clock}
            trans={trans}
            reachable={index === currentAt}
            selected={index === shownAt}
            orders={orders}
          />
        )}
      />
      {(focusedAt >= 0 || shownAt >= 0) && current && (
        <NodeDetail row={current} />
      )}
    </section>
  );
}

function keyOfCell(place: ICellPlace | null, run: string): string | null {
  if (place?.run !== run) {
    return null;
  }
  const parts = [place.stage, place.step, place.iteration, place.action];
  const known = parts.findIndex(part => part === undefined);
  return parts.slice(0, known < 0 ? undefined : known).join('/');
}

function nearest(rows: PlanRows, key: string | null): string | null {
  let wanted = key ?? '';
  while (wanted && rows.indexOf(wanted) < 0) {
    wanted = parentOf(wanted);
  }
  return wanted || null;
}
