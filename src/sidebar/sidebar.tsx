import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import type { Model } from '../runs/model';
import { KitContext, type IKit } from './common/kit';
import { Fold } from './common/parts';
import { notebookBccIcon } from './icon';
import { Preferences } from './preferences/preferences';
import { Elsewhere } from './run/elsewhere';
import { History } from './run/history';
import { RunPanel } from './run/run';
import { StartForm } from './start/start';
import { ConnectionBadge, StateCard } from './status/status';
import { Welcome } from './welcome/welcome';

const EDIT_SETTINGS = 'settingeditor:open';

export class Sidebar extends VDomRenderer<Model> {
  constructor(kit: IKit) {
    super(kit.model);
    this._kit = kit;
    this._trans = kit.trans;
    this._commands = kit.commands;
    this.addClass('bcc-Sidebar');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', this._trans.__('Notebook-BCC'));
    this.title.icon = notebookBccIcon;
    this.title.caption = this._trans.__('Notebook-BCC');
  }

  /** Bring the waiting question before the person: the keyboard is on its answer. */
  review(): void {
    this.node
      .querySelector<HTMLElement>('[data-testid="bcc-confirm"]')
      ?.focus();
  }

  /** The keyboard is on the first field of the form. */
  fillIn(): void {
    this.node.querySelector<HTMLElement>('form textarea')?.focus();
  }

  protected override render(): React.JSX.Element {
    const { model, _trans: trans } = this;
    return (
      <KitContext.Provider value={this._kit}>
        <header className="bcc-Header">
          <h2 className="bcc-Header-title">{trans.__('Notebook-BCC')}</h2>
          <ConnectionBadge connection={model.connection} trans={trans} />
        </header>
        {model.trouble !== null && (
          <p className="bcc-Notice" role="alert" data-testid="bcc-trouble">
            {model.trouble}
          </p>
        )}
        <div className="bcc-Body">{this._page()}</div>
        {model.serverVersion && (
          <footer className="bcc-Footer">
            {trans.__('Version %1', model.serverVersion)}
          </footer>
        )}
      </KitContext.Provider>
    );
  }

  private _page(): React.JSX.Element {
    const { model, _trans: trans } = this;
    const run = model.selected;
    if (model.state === null) {
      return (
        <>
          <StateCard state={null} trans={trans} />
          <Welcome trans={trans} />
        </>
      );
    }
    if (run !== null && !model.starting) {
      return <RunPanel run={run} />;
    }
    return (
      <>
        <Elsewhere run={run} />
        {model.runs.length === 0 && <Welcome trans={trans} />}
        {run === null && model.front !== null && model.runs.length > 0 && (
          <p className="bcc-Hint" role="status">
            {trans.__(
              'There is no run in %1 yet.',
              PathExt.basename(model.front)
            )}
          </p>
        )}
        <StartForm />
        {model.runs.length === 0 && (
          <StateCard state={model.state} trans={trans} />
        )}
        {run === null && model.runs.length > 0 && (
          <Fold title={trans.__('Runs')} aside={model.runs.length}>
            {() => <History />}
          </Fold>
        )}
        <Preferences
          settings={model.settings}
          trans={trans}
          onEdit={this._editSettings()}
        />
      </>
    );
  }

  private _editSettings(): (() => void) | undefined {
    if (!this._commands.hasCommand(EDIT_SETTINGS)) {
      return undefined;
    }
    return () => {
      void this._commands.execute(EDIT_SETTINGS, { query: 'Notebook-BCC' });
    };
  }

  private readonly _kit: IKit;
  private readonly _trans: TranslationBundle;
  private readonly _commands: CommandRegistry;
}
