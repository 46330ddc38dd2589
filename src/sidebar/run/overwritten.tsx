import React from 'react';

import type { RunView } from '../../protocol';
import { useKit } from '../common/kit';

/** Names that the person had in the kernel, and that the run took. */
export function Overwritten({
  run
}: {
  run: RunView;
}): React.JSX.Element | null {
  const { trans } = useKit();
  const { rebound, deleted } = run.overwritten;
  if (rebound.length === 0 && deleted.length === 0) {
    return null;
  }
  return (
    <div className="bcc-Notice" role="status" data-testid="bcc-overwritten">
      <div>
        {rebound.length > 0 && (
          <p>
            {trans.__(
              'Variables that you had before this run have new values: %1',
              rebound.join(', ')
            )}
          </p>
        )}
        {deleted.length > 0 && (
          <p>
            {trans.__(
              'Variables that you had before this run were deleted: %1',
              deleted.join(', ')
            )}
          </p>
        )}
        <p className="bcc-Hint">
          {trans.__('Run your own cells again to get yours back.')}
        </p>
      </div>
    </div>
  );
}
