import type { TranslationBundle } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import { notebookBccIcon } from '../icon';
import type { Model } from '../model';
import { Preferences } from './preferences/preferences';
import { ConnectionBadge, StateCard } from './status/status';
import { Welcome } from './welcome/welcome';

const EDIT_SETTINGS = 'settingeditor:open';

export interface ISidebarOptions {
  model: Model;
  trans: TranslationBundle;
  commands: CommandRegistry;
}

export class Sidebar extends VDomRenderer<Model> {
  constructor(options: ISidebarOptions) {
    super(options.model);
    this._trans = options.trans;
    this._commands = options.commands;
    this.addClass('bcc-Sidebar');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', this._trans.__('Notebook-BCC'));
    this.title.icon = notebookBccIcon;
    this.title.caption = this._trans.__('Notebook-BCC');
  }

  protected override render(): React.JSX.Element {
    const { model, _trans: trans } = this;
    return (
      <>
        <header className="bcc-Header">
          <h2 className="bcc-Header-title">{trans.__('Notebook-BCC')}</h2>
          <ConnectionBadge connection={model.connection} trans={trans} />
        </header>
        <div className="bcc-Body">
          <StateCard state={model.state} trans={trans} />
          {model.runs.length === 0 && <Welcome trans={trans} />}
          <Preferences
            settings={model.settings}
            trans={trans}
            onEdit={this._editSettings()}
          />
        </div>
        {model.serverVersion && (
          <footer className="bcc-Footer">
            {trans.__('Version %1', model.serverVersion)}
          </footer>
        )}
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

  private readonly _trans: TranslationBundle;
  private readonly _commands: CommandRegistry;
}
