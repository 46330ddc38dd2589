import React from 'react';

import type { IStateTable, ITableRow } from '../../connection/api';
import type { State } from '../../protocol';
import { useKit } from '../common/kit';
import { stateWords } from '../words';

/** Where each state stands in the drawing: down the left side, up the right one. */
const PLACES: Record<State, readonly [number, number]> = {
  idle: [0, 0],
  stage_running: [0, 1],
  step_running: [0, 2],
  behavior_running: [0, 3],
  action_running: [0, 4],
  workflow_completed: [1, 0],
  stage_completed: [1, 1],
  step_completed: [1, 2],
  behavior_completed: [1, 3],
  action_completed: [1, 4],
  workflow_update_pending: [0, 5],
  step_update_pending: [1, 5],
  error: [0, 6],
  cancelled: [1, 6]
};
/** Nearly every state has a way to these: drawn only from where the run is. */
const EVERYWHERE: readonly State[] = ['error', 'cancelled', 'idle'];

const WIDTH = 136;
const HEIGHT = 24;
const COLUMN = 178;
const ROW = 44;
const MARGIN = 6;

/** The state machine, drawn from the server's table, with the current state lit. */
export function Machine({ state }: { state: State }): React.JSX.Element | null {
  const { trans, model } = useKit();
  const [table, setTable] = React.useState<IStateTable | null>(null);
  React.useEffect(() => {
    let gone = false;
    void model.api.states().then(found => {
      if (!gone) {
        setTable(found);
      }
    });
    return () => {
      gone = true;
    };
  }, [model]);
  if (table === null) {
    return null;
  }
  const leaving = table.transitions.filter(row => row.from === state);
  const resting = table.transitions.filter(
    ({ from, to }) =>
      from !== state && from !== 'error' && !EVERYWHERE.includes(to)
  );
  return (
    <figure className="bcc-Machine">
      <svg
        viewBox={`0 0 ${String(COLUMN + WIDTH + 2 * MARGIN)} ${String(6 * ROW + HEIGHT + 2 * MARGIN)}`}
        role="img"
        aria-label={trans.__(
          'State machine; the current state is %1: %2',
          state,
          stateWords(state, trans)
        )}
      >
        <defs>
          {['rest', 'live'].map(kind => (
            <marker
              key={kind}
              id={`bcc-arrow-${kind}`}
              className={`bcc-Machine-head bcc-mod-${kind}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="6"
              markerHeight="6"
              orient="auto-start-reverse"
            >
              <path d="M0 0L8 4L0 8z" />
            </marker>
          ))}
        </defs>
        {resting.map(row => (
          <Edge key={`${row.from} ${row.event}`} row={row} kind="rest" />
        ))}
        {leaving.map(row => (
          <Edge key={`${row.from} ${row.event}`} row={row} kind="live" />
        ))}
        {table.states.map(one => (
          <StateBox key={one} state={one} lit={one === state} />
        ))}
      </svg>
      <figcaption className="bcc-Hint">
        {trans.__('From here: %1', leaving.map(row => row.event).join(', '))}
      </figcaption>
    </figure>
  );
}

function StateBox(props: { state: State; lit: boolean }): React.JSX.Element {
  const [x, y] = corner(props.state);
  return (
    <g className="bcc-Machine-state" data-lit={props.lit}>
      <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx="4" />
      <text x={x + WIDTH / 2} y={y + HEIGHT / 2}>
        {props.state}
      </text>
    </g>
  );
}

function Edge(props: {
  row: ITableRow;
  kind: 'rest' | 'live';
}): React.JSX.Element {
  const { row, kind } = props;
  return (
    <path
      className={`bcc-Machine-edge bcc-mod-${kind}`}
      d={pathOf(row.from, row.to)}
      markerEnd={`url(#bcc-arrow-${kind})`}
    />
  );
}

function corner(state: State): [number, number] {
  const [column, row] = PLACES[state];
  return [MARGIN + column * COLUMN, MARGIN + row * ROW];
}

/** Straight between neighbours, around the boxes in between otherwise. */
function pathOf(from: State, to: State): string {
  const [x1, y1] = corner(from);
  const [x2, y2] = corner(to);
  const [fromColumn, fromRow] = PLACES[from];
  const [toColumn, toRow] = PLACES[to];
  if (fromColumn === toColumn) {
    const middle = x1 + WIDTH / 2 + (fromRow < toRow ? -8 : 8);
    const down = fromRow < toRow;
    const start = down ? y1 + HEIGHT : y1;
    const end = down ? y2 : y2 + HEIGHT;
    if (Math.abs(fromRow - toRow) === 1) {
      return line(middle, start, middle, end);
    }
    const side = fromColumn === 0 ? x1 + WIDTH : x1;
    const out = side + (fromColumn === 0 ? 18 : -18);
    const a = y1 + HEIGHT / 2;
    const b = y2 + HEIGHT / 2;
    return `M${point(side, a)} C${point(out, a)} ${point(out, b)} ${point(side, b)}`;
  }
  const right = fromColumn < toColumn;
  const shift = right ? -4 : 4;
  return line(
    right ? x1 + WIDTH : x1,
    y1 + HEIGHT / 2 + shift,
    right ? x2 : x2 + WIDTH,
    y2 + HEIGHT / 2 + shift
  );
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `M${point(x1, y1)} L${point(x2, y2)}`;
}

function point(x: number, y: number): string {
  return `${String(x)} ${String(y)}`;
}
