import { runIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { IPlaybook } from '../../api';
import type { ApprovalPolicy } from '../../settings';
import { useKit } from '../common/kit';
import { ActionButton, Field, Fold } from '../common/parts';
import { approvalWords } from '../words';
import { DataField } from './data-field';
import {
  dataPath,
  firstDraft,
  problemsOf,
  refusalOf,
  requestOf,
  type IDraft,
  type Problems
} from './draft';
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
  const kit = useKit();
  const { trans, model, link, files, language } = kit;
  const [draft, setDraft] = React.useState<IDraft>(() =>
    firstDraft(model.settings, link.currentPath)
  );
  const [playbooks, setPlaybooks] = React.useState<readonly IPlaybook[]>([]);
  const [problems, setProblems] = React.useState<Problems>({});
  const [busy, setBusy] = React.useState(false);
  const playbook = playbooks.find(({ name }) => name === draft.playbook);

  const change = React.useCallback((part: Partial<IDraft>): void => {
    setDraft(before => ({ ...before, ...part }));
    setProblems({});
  }, []);

  // Until somebody names another one, it is the notebook the person works in.
  const named = React.useRef(false);
  React.useEffect(() => {
    const follow = (): void => {
      if (!named.current && link.currentPath !== null) {
        change({ notebook: link.currentPath });
      }
    };
    follow();
    link.currentChanged.connect(follow);
    return () => {
      link.currentChanged.disconnect(follow);
    };
  }, [link, change]);

  React.useEffect(() => {
    let gone = false;
    model.api
      .playbooks(language)
      .then(found => {
        if (!gone) {
          setPlaybooks(found);
          setDraft(before => withPlaybook(before, found[0], language));
        }
      })
      .catch((reason: unknown) => {
        setProblems({ form: String(reason) });
      });
    return () => {
      gone = true;
    };
  }, [model, language]);

  const submit = async (): Promise<void> => {
    const wrong = problemsOf(draft, playbook, trans);
    const data = dataPath(draft);
    if (data !== null && !(await files.exists(data))) {
      wrong.data ??= trans.__('There is no such file: %1', data);
    }
    setProblems(wrong);
    if (Object.keys(wrong).length > 0) {
      return;
    }
    setBusy(true);
    try {
      await model.start(requestOf(draft, playbook));
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
      <Field label={trans.__('Goal')} error={problems.goal}>
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
      <DataField draft={draft} error={problems.data} onChange={change} />
      <Field
        label={trans.__('Notebook')}
        hint={trans.__('It is made if there is none of that name')}
        error={problems.notebook}
      >
        {ids => (
          <input
            {...ids}
            className="bcc-Input"
            value={draft.notebook}
            onChange={event => {
              named.current = true;
              change({ notebook: event.target.value });
            }}
          />
        )}
      </Field>
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
        {model.runs.length > 0 && (
          <ActionButton
            label={trans.__('Back to the run')}
            onClick={() => {
              model.openStart(false);
            }}
          />
        )}
      </div>
    </form>
  );
}

/** The first playbook as the choice; its report speaks the person's language. */
function withPlaybook(
  draft: IDraft,
  playbook: IPlaybook | undefined,
  language: string
): IDraft {
  if (!playbook || draft.playbook) {
    return draft;
  }
  const speaks = 'language' in playbook.variables && language !== 'en';
  return {
    ...draft,
    playbook: playbook.name,
    declared: speaks ? { ...draft.declared, language } : draft.declared
  };
}
