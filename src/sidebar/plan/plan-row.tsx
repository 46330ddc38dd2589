import { caretDownIcon, caretRightIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IRow } from '../../runs/tree';
import { workedMs } from '../../runs/work-time';
import { duration } from '../common/format';
import { NodeStatus } from '../common/status-icon';
import { actionWords, behaviorWords } from '../plan-words';

/** What a row may be asked to do. */
export interface IRowOrders {
  go: (row: IRow) => void;
  toggle: (row: IRow, open: boolean) => void;
  key: (event: React.KeyboardEvent, row: IRow) => void;
}

export interface IPlanRowProps {
  row: IRow;
  /** The run's clock, for what has not ended yet. */
  clock: number;
  trans: TranslationBundle;
  reachable: boolean;
  selected: boolean;
  /** The same for as long as there are rows, whatever the functions in it are. */
  orders: React.RefObject<IRowOrders | null>;
}

/** Rendered again only when what it shows is different. */
export const PlanRow = React.memo(Row, (before, after) => {
  const { row } = after;
  const ticking = row.node?.ended_at === null;
  return (
    before.row.key === row.key &&
    before.row.node === row.node &&
    before.row.name === row.name &&
    before.row.status === row.status &&
    before.row.expanded === row.expanded &&
    before.row.children === row.children &&
    before.reachable === after.reachable &&
    before.selected === after.selected &&
    (!ticking || before.clock === after.clock)
  );
});

function Row(props: IPlanRowProps): React.JSX.Element {
  const { row, trans, orders } = props;
  const { node } = row;
  const Caret = row.expanded ? caretDownIcon : caretRightIcon;
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
      tabIndex={props.reachable ? 0 : -1}
      title={[name, node?.words, node?.error].filter(Boolean).join('\n')}
      onClick={() => {
        orders.current?.go(row);
      }}
      onKeyDown={event => {
        orders.current?.key(event, row);
      }}
    >
      <span
        className="bcc-PlanRow-caret"
        aria-hidden="true"
        onClick={event => {
          if (row.children > 0) {
            event.stopPropagation();
            orders.current?.toggle(row, !row.expanded);
          }
        }}
      >
        {row.children > 0 && <Caret.react tag="span" />}
      </span>
      <NodeStatus status={row.status} trans={trans} />
      <span className="bcc-PlanRow-name">{name}</span>
      <span className="bcc-PlanRow-facts">
        {factsOf(row, props.clock, trans).join(' · ')}
      </span>
    </div>
  );
}

export function nameOf(row: IRow, trans: TranslationBundle): string {
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

function factsOf(row: IRow, clock: number, trans: TranslationBundle): string[] {
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
  const spent = workedMs(node, clock);
  if (spent >= 50 && row.status !== 'pending') {
    facts.push(duration(spent, trans));
  }
  return facts;
}
