import { PathExt } from '@jupyterlab/coreutils';
import { addIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { RunView } from '../../protocol';
import { clockTime } from '../common/format';
import { useKit } from '../common/kit';
import { ActionButton } from '../common/parts';
import { commandNames, statusWords } from '../words';

/** Which run is looked at, and the way to a new one. */
export function Switcher({ run }: { run: RunView }): React.JSX.Element {
  const { trans, model } = useKit();
  const label = (one: RunView): string =>
    [
      PathExt.basename(one.notebook),
      statusWords(one.status, trans),
      clockTime(one.created_at)
    ].join(' · ');
  return (
    <div className="bcc-Row bcc-Switcher">
      <select
        className="bcc-Input"
        aria-label={trans.__('Run')}
        value={run.id}
        onChange={event => {
          model.select(event.target.value);
        }}
      >
        {model.runs.map(one => (
          <option key={one.id} value={one.id}>
            {label(one)}
          </option>
        ))}
      </select>
      <ActionButton
        icon={addIcon}
        label={commandNames.start(trans)}
        hint={trans.__('Opens the form; nothing starts yet.')}
        onClick={() => {
          model.openStart();
        }}
      />
    </div>
  );
}
