import { PathExt } from '@jupyterlab/coreutils';
import React from 'react';

import { fromNotebook } from '../../files';
import { useKit } from '../common/kit';
import { ActionButton, Field } from '../common/parts';
import { notebookPath, type IDraft } from './draft';

export interface IDataFieldProps {
  draft: IDraft;
  error?: string;
  onChange: (change: Partial<IDraft>) => void;
}

/** The data file, seen from the notebook: typed, suggested, or picked from the file browser. */
export function DataField(props: IDataFieldProps): React.JSX.Element {
  const { draft, error, onChange } = props;
  const { trans, files } = useKit();
  const list = React.useId();
  const folder = PathExt.dirname(notebookPath(draft.notebook));
  const [found, setFound] = React.useState<readonly string[]>([]);
  const touched = React.useRef(false);

  React.useEffect(() => {
    let gone = false;
    void files.tablesIn(folder).then(paths => {
      if (gone) {
        return;
      }
      setFound(paths);
      const [only] = paths;
      if (only !== undefined && paths.length === 1 && !touched.current) {
        onChange({ data: PathExt.basename(only) });
      }
    });
    return () => {
      gone = true;
    };
    // The file is suggested once per folder; what is typed later is not overruled.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [files, folder]);

  const pick = async (): Promise<void> => {
    const path = await files.pick(folder);
    if (path !== null) {
      touched.current = true;
      onChange({ data: fromNotebook(notebookPath(draft.notebook), path) });
    }
  };
  return (
    <Field
      label={trans.__('Data file')}
      hint={trans.__('As seen from the folder of the notebook')}
      error={error}
    >
      {ids => (
        <div className="bcc-Row">
          <input
            {...ids}
            className="bcc-Input"
            list={list}
            value={draft.data}
            onChange={event => {
              touched.current = true;
              onChange({ data: event.target.value });
            }}
          />
          <datalist id={list}>
            {found.map(path => (
              <option key={path} value={PathExt.basename(path)} />
            ))}
          </datalist>
          {files.canPick && (
            <ActionButton
              label={trans.__('Browse…')}
              onClick={() => {
                void pick();
              }}
            />
          )}
        </div>
      )}
    </Field>
  );
}
