import { PathExt } from '@jupyterlab/coreutils';
import { runIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { IPlaybook } from '../../connection/api';
import type { ApprovalPolicy } from '../../settings';
import { useKit, useSignal } from '../common/kit';
import { ActionButton, Field, Fold } from '../common/parts';
import { approvalWords } from '../words';
import { DataField } from './data-field';
import {
  dataPath,
  firstDraft,
  problemsOf,
  refusalOf,
  requestOf,
  targetOf,
  type IDraft,
  type Problems
} from './draft';
import { NotebookField } from './notebook-field';
import { PlannerField } from './planner-field';
import { VariablesField } from './variables-field';

const POLICIES: readonly ApprovalPolicy[] = [
  'updates',
  'behaviors',
  'code',
  'none'
];

/** The form that starts a run. */
export function StartForm(): React.JSX.Element {
  const { trans, model, link, files, language, kept } = useKit();
  const [draft, setDraft] = React.useState<IDraft>(
    () => kept.draft ?? firstDraft(model.settings, link.staysInPage)
  );
  React.useEffect(() => {
    kept.keep(draft);
  }, [kept, draft]);
  const [playbooks, setPlaybooks] = React.useState<readonly IPlaybook[]>([]);
  const [problems, setProblems] = React.useState<Problems>({});
  const [busy, setBusy] = React.useState(false);
  const playbook = playbooks.find(({ name }) => name === draft.playbook);

  const change = React.useCallback((part: Partial<IDraft>): void => {
    setDraft(before => ({ ...before, ...part }));
    setProblems({});
  }, []);

  useSignal(link.currentChanged);
  const open = link.currentPath;
  const folder = PathExt.dirname(open ?? '');

  // Own playbooks lie in the folder that the run writes into.
  const target = PathExt.dirname(targetOf(draft, open));

  React.useEffect(() => {
    let gone = false;
    model.api
      .playbooks(language, PathExt.join(target, 'report.ipynb'))
      .then(found => {
        if (!gone) {
          setPlaybooks(found);
          setDraft(before => withPlaybook(before, found, language));
        }
      })
      .catch((reason: unknown) => {
        setProblems({ form: String(reason) });
      });
    return () => {
      gone = true;
    };
  }, [model, language, target]);

  const submit = async (): Promise<void> => {
    const notebook = targetOf(draft, open);
    const wrong = problemsOf(draft, notebook, playbook, trans);
    const typed = dataPath(draft.data);
    const found = typed === null ? draft.data : await files.find(typed, folder);
    if (found === null) {
      wrong.data ??= trans.__('There is no such file: %1', typed ?? '');
    }
    setProblems(wrong);
    if (found === null || Object.keys(wrong).length > 0) {
      return;
    }
    setBusy(true);
    try {
      await model.start(
        requestOf({ ...draft, data: found }, notebook, playbook)
      );
      kept.keep(null);
    } catch (reason) {
      setProblems(refusalOf(reason, trans));
      setBusy(false);
    }
  };

  return (
    <form
      className="bcc-Start"
      aria-label={trans.__('Start a run')}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field
        label={trans.__('Goal')}
        hint={
          draft.planner === 'embedded' && playbook?.reads_goal === false
            ? trans.__(
                'This playbook does not read it: it does the same for every goal.'
              )
            : undefined
        }
        error={problems.goal}
      >
        {ids => (
          <textarea
            {...ids}
            className="bcc-Input"
            rows={2}
            placeholder={trans.__('What do you want to find out?')}
            value={draft.goal}
            onChange={event => {
              change({ goal: event.target.value });
            }}
          />
        )}
      </Field>
      <DataField
        draft={draft}
        folder={folder}
        error={problems.data}
        onChange={change}
      />
      <NotebookField
        draft={draft}
        open={open}
        error={problems.notebook}
        onChange={change}
      />
      <PlannerField
        draft={draft}
        playbooks={playbooks}
        error={problems.planner}
        onChange={change}
      />
      <Field label={trans.__('Ask before')}>
        {ids => (
          <select
            {...ids}
            className="bcc-Input"
            value={draft.approval}
            onChange={event => {
              change({ approval: event.target.value as ApprovalPolicy });
            }}
          >
            {POLICIES.map(policy => (
              <option key={policy} value={policy}>
                {approvalWords(policy, trans)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Fold
        title={trans.__('Variables')}
        key={problems.variables ? 'open' : 'closed'}
        open={problems.variables !== undefined}
      >
        {() => (
          <VariablesField
            draft={draft}
            playbook={playbook}
            error={problems.variables}
            onChange={change}
          />
        )}
      </Fold>
      {problems.form && (
        <p className="bcc-Field-error" role="alert">
          {problems.form}
        </p>
      )}
      <div className="bcc-Actions">
        <button
          type="submit"
          className="bcc-Button bcc-mod-primary"
          disabled={busy}
        >
          <runIcon.react tag="span" className="bcc-Button-icon" />
          <span>{busy ? trans.__('Starting…') : trans.__('Start')}</span>
        </button>
        {model.starting && model.selected && (
          <ActionButton
            label={trans.__('Back to the run')}
            hint={trans.__('What you filled in stays')}
            onClick={() => {
              model.openStart(false);
            }}
          />
        )}
      </div>
    </form>
  );
}

/**
 * The first playbook as the choice, where the one chosen is not to be had; its report speaks the
 * person's language.
 */
function withPlaybook(
  draft: IDraft,
  found: readonly IPlaybook[],
  language: string
): IDraft {
  const [playbook] = found;
  if (!playbook || found.some(({ name }) => name === draft.playbook)) {
    return draft;
  }
  const speaks = 'language' in playbook.variables && language !== 'en';
  return {
    ...draft,
    playbook: playbook.name,
    declared: speaks ? { ...draft.declared, language } : draft.declared
  };
}
