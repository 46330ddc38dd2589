import { PathExt } from '@jupyterlab/coreutils';
import { downloadIcon, notebookIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { RunView } from '../../protocol';
import { download, readRecord } from '../../runs/record';
import { useKit } from '../common/kit';
import { ActionButton } from '../common/parts';
import { RunStatus } from '../common/status-icon';
import { VirtualList } from '../common/virtual-list';

/** All runs of this server: look at one, open its notebook, take its record along. */
export function History(): React.JSX.Element {
  const { trans, model, link } = useKit();
  const save = async (run: RunView): Promise<void> => {
    const record = await readRecord(model.api, run);
    const name = PathExt.basename(run.notebook, '.ipynb');
    download(
      `${name}-${run.id.slice(0, 8)}.json`,
      JSON.stringify(record, null, 2)
    );
  };
  return (
    <VirtualList
      label={trans.__('Runs')}
      items={model.runs}
      rowHeight={44}
      maxRows={8}
      keyOf={({ id }) => id}
      render={run => (
        <div role="listitem" className="bcc-HistoryRow">
          <button
            type="button"
            className="bcc-HistoryRow-name"
            onClick={() => {
              model.select(run.id);
            }}
          >
            <span>{run.notebook}</span>
            <RunStatus status={run.status} trans={trans} />
          </button>
          <ActionButton
            iconOnly
            icon={notebookIcon}
            label={trans.__('Open %1', run.notebook)}
            onClick={() => {
              void link.open(run.notebook);
            }}
          />
          <ActionButton
            iconOnly
            icon={downloadIcon}
            label={trans.__('Export the record of %1', run.notebook)}
            onClick={() => {
              void save(run);
            }}
          />
        </div>
      )}
    />
  );
}
