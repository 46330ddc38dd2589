import { PathExt } from '@jupyterlab/coreutils';
import React from 'react';

import { useKit } from '../common/kit';
import { ActionButton, Field } from '../common/parts';
import { dataPath, type IDraftFieldProps } from './draft';

export interface IDataFieldProps extends IDraftFieldProps {
  /** Where it is looked for first. */
  folder: string;
}

/** The data file: typed, suggested, or picked from the file browser. */
export function DataField(props: IDataFieldProps): React.JSX.Element {
  const { draft, error, onChange } = props;
  const { trans, files } = useKit();
  const list = React.useId();
  const { folder } = props;
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
        onChange({ data: only });
      }
    });
    return () => {
      gone = true;
    };
    // The file is suggested once per folder; what is typed later is not overruled.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [files, folder]);

  const pick = async (): Promise<void> => {
    const known = dataPath(draft.data) ?? (draft.named ? draft.notebook : '');
    const path = await files.pick(PathExt.dirname(known) || folder);
    if (path !== null) {
      touched.current = true;
      onChange({ data: path });
    }
  };
  return (
    <Field
      label={trans.__('Data file')}
      hint={trans.__('Its path, as the file browser shows it')}
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
              <option key={path} value={path} />
            ))}
          </datalist>
          {files.canPick && (
            <ActionButton
              label={trans.__('Browse…')}
              hint={trans.__('Choose the data file')}
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
