import { PathExt } from '@jupyterlab/coreutils';
import React from 'react';

import { useKit } from '../common/kit';
import { Choice, Field } from '../common/parts';
import {
  notebookPath,
  suggestedName,
  type IDraft,
  type IDraftFieldProps
} from './draft';

export interface INotebookFieldProps extends IDraftFieldProps {
  /** The notebook in front. */
  open: string | null;
}

/** Where the run writes: a new notebook named after the data, or the one in front. */
export function NotebookField(props: INotebookFieldProps): React.JSX.Element {
  const { draft, open, error, onChange } = props;
  const { trans } = useKit();
  const group = React.useId();
  const intoOpen = open !== null && draft.target === 'open';
  const choice = (
    target: IDraft['target'],
    label: string
  ): React.JSX.Element => (
    <Choice
      group={group}
      label={label}
      isChosen={intoOpen === (target === 'open')}
      onChoose={() => {
        onChange({ target });
      }}
    />
  );
  return (
    <fieldset className="bcc-Fieldset">
      <legend className="bcc-Field-label">{trans.__('Write into')}</legend>
      {open !== null && (
        <div className="bcc-Choices">
          {choice('new', trans.__('A new notebook'))}
          {choice(
            'open',
            trans.__('%1, which is open', PathExt.basename(open))
          )}
        </div>
      )}
      {intoOpen ? (
        <p className="bcc-Field-hint">
          {trans.__('Cells are added to it; yours stay as they are.')}
        </p>
      ) : (
        <NewNotebook draft={draft} error={error} onChange={onChange} />
      )}
      {intoOpen && error && (
        <p className="bcc-Field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function NewNotebook(
  props: Omit<INotebookFieldProps, 'open'>
): React.JSX.Element {
  const { draft, error, onChange } = props;
  const { trans, files, link } = useKit();
  const { named, data, notebook } = draft;
  const suggestion = suggestedName(data, link.currentPath);

  React.useEffect(() => {
    if (named) {
      return undefined;
    }
    let gone = false;
    void files.free(suggestion).then(path => {
      if (!gone) {
        onChange({ notebook: path });
      }
    });
    return () => {
      gone = true;
    };
  }, [files, named, suggestion, onChange]);

  const path = notebookPath(notebook);
  const [existing, setExisting] = React.useState<string | null>(null);
  React.useEffect(() => {
    if (!named || !path) {
      return undefined;
    }
    const timer = window.setTimeout(() => {
      void files.exists(path).then(found => {
        setExisting(found ? path : null);
      });
    }, 300);
    return () => {
      window.clearTimeout(timer);
    };
  }, [files, named, path]);

  return (
    <Field
      label={trans.__('Notebook')}
      hint={
        named && existing === path
          ? trans.__('There is such a notebook: cells are added to it.')
          : undefined
      }
      error={error}
    >
      {ids => (
        <input
          {...ids}
          className="bcc-Input"
          value={notebook}
          onChange={event => {
            onChange({ notebook: event.target.value, named: true });
          }}
        />
      )}
    </Field>
  );
}
