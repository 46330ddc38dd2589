import React from 'react';

/** Text that scrolls within its box; reachable with the keyboard, as what scrolls must be. */
export function Code(props: {
  label: string;
  text: string;
}): React.JSX.Element {
  return (
    <pre
      className="bcc-Code"
      role="region"
      aria-label={props.label}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      {props.text}
    </pre>
  );
}
