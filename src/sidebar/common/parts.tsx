import {
  caretDownIcon,
  caretRightIcon,
  type LabIcon
} from '@jupyterlab/ui-components';
import React from 'react';

export interface IActionButtonProps {
  label: string;
  onClick: () => void;
  icon?: LabIcon;
  /** What a click does, where the label alone does not say it. */
  hint?: string;
  kind?: 'primary' | 'plain' | 'danger';
  disabled?: boolean;
  iconOnly?: boolean;
  testId?: string;
}

export function ActionButton(props: IActionButtonProps): React.JSX.Element {
  const { icon: Icon, kind = 'plain', iconOnly = false } = props;
  return (
    <button
      type="button"
      className={`bcc-Button bcc-mod-${kind}${iconOnly ? ' bcc-mod-icon' : ''}`}
      title={props.hint ?? (iconOnly ? props.label : undefined)}
      aria-label={iconOnly ? props.label : undefined}
      disabled={props.disabled}
      data-testid={props.testId}
      onClick={props.onClick}
    >
      {Icon && <Icon.react tag="span" className="bcc-Button-icon" />}
      {!iconOnly && <span>{props.label}</span>}
    </button>
  );
}

export interface IFoldProps {
  title: string;
  /** Stands at the right end of the heading. */
  aside?: React.ReactNode;
  open?: boolean;
  children: () => React.ReactNode;
}

/** A section that opens on demand; what is closed is not rendered. */
export function Fold(props: IFoldProps): React.JSX.Element {
  const [open, setOpen] = React.useState(props.open ?? false);
  const id = React.useId();
  const Caret = open ? caretDownIcon : caretRightIcon;
  return (
    <section className="bcc-Fold">
      <h3 className="bcc-Fold-heading">
        <button
          type="button"
          className="bcc-Fold-button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => {
            setOpen(!open);
          }}
        >
          <Caret.react tag="span" className="bcc-Fold-caret" />
          <span className="bcc-Fold-title">{props.title}</span>
          {props.aside && <span className="bcc-Fold-aside">{props.aside}</span>}
        </button>
      </h3>
      {open && (
        <div className="bcc-Fold-body" id={id}>
          {props.children()}
        </div>
      )}
    </section>
  );
}

export interface IFieldProps {
  label: string;
  hint?: string;
  error?: string;
  /** Gets the ids that tie the control to its label and its messages. */
  children: (ids: {
    id: string;
    'aria-describedby'?: string;
    'aria-invalid'?: true;
  }) => React.ReactNode;
}

/** A labelled control with its hint and, where something is wrong, what it is. */
export function Field(props: IFieldProps): React.JSX.Element {
  const id = React.useId();
  const described = [
    props.hint && `${id}-hint`,
    props.error && `${id}-error`
  ].filter(Boolean);
  return (
    <div className="bcc-Field" data-invalid={props.error ? true : undefined}>
      <label className="bcc-Field-label" htmlFor={id}>
        {props.label}
      </label>
      {props.children({
        id,
        ...(described.length > 0 && {
          'aria-describedby': described.join(' ')
        }),
        ...(props.error && { 'aria-invalid': true as const })
      })}
      {props.error && (
        <p className="bcc-Field-error" id={`${id}-error`} role="alert">
          {props.error}
        </p>
      )}
      {props.hint && (
        <p className="bcc-Field-hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
    </div>
  );
}

export interface IChoiceProps {
  /** The name that the choices of one question share. */
  group: string;
  label: string;
  isChosen: boolean;
  onChoose: () => void;
}

/** One of several answers, with a round button before it. */
export function Choice(props: IChoiceProps): React.JSX.Element {
  return (
    <label className="bcc-Choice">
      <input
        type="radio"
        name={props.group}
        checked={props.isChosen}
        onChange={props.onChoose}
      />
      <span>{props.label}</span>
    </label>
  );
}
