import React from 'react';

import type { IRow } from '../../runs/tree';
import { useKit } from '../common/kit';
import { nameOf } from './plan-row';

/** What there is to say about a node beyond its line: the planner's words, and its error. */
export function NodeDetail({ row }: { row: IRow }): React.JSX.Element | null {
  const { trans } = useKit();
  const { words, error } = row.node ?? {};
  if (!words && !error) {
    return null;
  }
  const name = nameOf(row, trans);
  return (
    <div
      className="bcc-NodeDetail"
      role="region"
      aria-label={trans.__('About «%1»', name)}
    >
      <h4 className="bcc-Label">{name}</h4>
      {words && <p className="bcc-Quote">{words}</p>}
      {error && <p className="bcc-Field-error">{error}</p>}
    </div>
  );
}
