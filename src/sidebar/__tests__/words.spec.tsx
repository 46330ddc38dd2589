import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import React, { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';

import type { Files } from '../../notebook/files';
import { NotebookLink } from '../../notebook/link';
import type { Pending } from '../../protocol';
import { FakeClient, SHELL, someRun } from '../../runs/__tests__/fake-client';
import { RunFeed } from '../../runs/feed';
import { Model } from '../../runs/model';
import { PendingCard } from '../approve/pending-card';
import { KitContext, type IKit } from '../common/kit';
import { Context } from '../context/context';
import { checkWords, errorWords } from '../error-words';
import { actionWords, behaviorWords } from '../plan-words';
import { Finished } from '../run/finished';
import { Steer } from '../run/steer';
import { Switcher } from '../run/switcher';
import { KeptDraft } from '../start/draft';
import { commandNames } from '../words';

(
  globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
).IS_REACT_ACT_ENVIRONMENT = true;

const trans = nullTranslator.load('notebook_bcc_ext');

describe('C10: words that are true and plain', () => {
  let kit: IKit;
  let feed: RunFeed;
  let root: Root;
  let node: HTMLElement;

  beforeEach(() => {
    const commands = new CommandRegistry();
    const model = new Model(new FakeClient().asClient());
    feed = new RunFeed(model);
    kit = {
      model,
      feed,
      link: new NotebookLink(commands, SHELL, null, model, false),
      files: {} as Files,
      commands,
      kept: new KeptDraft(),
      language: 'en',
      trans
    };
    node = document.createElement('div');
    root = createRoot(node);
  });

  afterEach(() => {
    act(() => {
      root.unmount();
    });
    feed.dispose();
  });

  function shown(element: React.JSX.Element): string {
    act(() => {
      root.render(
        <KitContext.Provider value={kit}>{element}</KitContext.Provider>
      );
    });
    return node.textContent;
  }

  function proposal(content: Pending['content']): React.JSX.Element {
    const pending: Pending = {
      id: 'p1',
      kind: 'workflow',
      summary: '',
      content: { updated_workflow: { stages: [] }, ...content },
      before: null,
      changes: [],
      asked_at: ''
    };
    const { progress } = someRun();
    const focus = { stages: 'I propose what was long agreed' };
    const run = someRun({ pending, progress: { ...progress, focus } });
    return <PendingCard run={run} pending={pending} />;
  }

  it('the reason of a question is its own, not an old proposal’s', () => {
    const asked = shown(proposal({ reason: 'The data has dates.' }));
    expect(asked).toContain('The data has dates.');
    expect(asked).not.toContain('long agreed');
  });

  it('a question without a reason has none', () => {
    shown(proposal({}));
    expect(node.querySelector('.bcc-Quote')).toBeNull();
  });

  it('what the planner is not told is said, kind by kind', () => {
    kit.feed.observation = {
      context: { left_out: { variables: 12, effects: 3, outputs: 1 } }
    };
    expect(shown(<Context />)).toContain(
      'It is not told: variables (12), outputs (4).'
    );
  });

  it('nothing is said to be left out where nothing is', () => {
    kit.feed.observation = { context: {} };
    expect(shown(<Context />)).not.toContain('not told');
  });

  it('a button is called what its command is called', () => {
    const run = someRun({ notebook: 'a.ipynb' });
    jest.spyOn(kit.model, 'front', 'get').mockReturnValue('a.ipynb');
    jest.spyOn(kit.model, 'isFollowed').mockReturnValue(false);
    expect(shown(<Switcher run={run} />)).toContain(commandNames.start(trans));
    expect(shown(<Steer run={run} />)).toContain(commandNames.follow(trans));
    expect(shown(<Finished run={run} />)).toContain(
      commandNames.toggleCode(trans)
    );
  });

  it('an interrupt is no failure, and an error is an answer', () => {
    expect(errorWords('CellInterrupted', trans)).toBe('A cell was interrupted');
    expect(errorWords('PlannerFailing', trans)).toBe(
      'The planner answers with an error'
    );
    expect(checkWords('error', trans)).toBe(
      'The service answers with an error.'
    );
  });

  it.each([
    [behaviorWords('behavior_002', 2, trans)],
    [actionWords('exec', trans)],
    [actionWords('new_chapter: ## Data', trans)],
    [actionWords('update_stage_steps', trans)],
    [actionWords('end_phase', trans)]
  ])('no name of a program is shown: %s', words => {
    expect(words).not.toMatch(/_|##/);
  });
});
