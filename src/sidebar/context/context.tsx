import React from 'react';

import { Code } from '../common/code';
import { plain } from '../common/format';
import { useKit, useSignal } from '../common/kit';
import { VirtualList } from '../common/virtual-list';
import { leftOutWords } from '../plan-words';

/** What the planner would be told now: to-do list, variables, outputs, sections. */
export function Context(): React.JSX.Element {
  const { trans, feed } = useKit();
  useSignal(feed.changed, part => part === 'observation');
  React.useEffect(() => feed.watch('observation'), [feed]);
  const context = feed.observation?.context;
  if (!context) {
    return <p className="bcc-Hint">{trans.__('Reading the notebook…')}</p>;
  }
  const todo = (context.toDoList ?? []).map(plain);
  const variables = Object.entries(context.variables ?? {});
  const sections = context.section_progress;
  const leftOut = new Map<string, number>();
  for (const [kind, count] of Object.entries(context.left_out ?? {})) {
    const words = leftOutWords(kind, trans);
    leftOut.set(words, (leftOut.get(words) ?? 0) + count);
  }
  const effects = [
    ...(context.effects?.history ?? []),
    ...(context.effects?.current ?? [])
  ]
    .map(plain)
    .filter(text => text.trim());
  return (
    <div className="bcc-Context">
      {leftOut.size > 0 && (
        <p className="bcc-Hint">
          {trans.__(
            'Too much for one question to the planner. It is not told: %1.',
            [...leftOut]
              .map(([words, count]) =>
                trans.__('%1 (%2)', words, String(count))
              )
              .join(', ')
          )}
        </p>
      )}
      <h4 className="bcc-Label">{trans.__('To do')}</h4>
      {todo.length === 0 ? (
        <p className="bcc-Hint">{trans.__('Nothing is left on the list.')}</p>
      ) : (
        <ul className="bcc-Todo" aria-label={trans.__('To do')}>
          {todo.map((item, index) => (
            <li key={index}>{item}</li>
          ))}
        </ul>
      )}
      <h4 className="bcc-Label">{trans.__('Variables')}</h4>
      <VirtualList
        label={trans.__('Variables')}
        items={variables}
        rowHeight={26}
        maxRows={10}
        keyOf={([name]) => name}
        render={([name, value]) => (
          <div role="listitem" className="bcc-VariableRow" title={plain(value)}>
            <code>{name}</code>
            <span>{plain(value)}</span>
          </div>
        )}
      />
      {(sections?.all?.length ?? 0) > 0 && (
        <>
          <h4 className="bcc-Label">{trans.__('Sections')}</h4>
          <ul className="bcc-Todo" aria-label={trans.__('Sections')}>
            {sections?.all?.map(section => (
              <li
                key={section}
                data-done={sections.completed_sections?.includes(section)}
                data-current={sections.current_section_id === section}
              >
                {section}
              </li>
            ))}
          </ul>
        </>
      )}
      <h4 className="bcc-Label">{trans.__('Outputs, newest last')}</h4>
      {effects.length === 0 ? (
        <p className="bcc-Hint">{trans.__('No output so far.')}</p>
      ) : (
        <Code
          label={trans.__('Outputs, newest last')}
          text={effects.join('\n')}
        />
      )}
    </div>
  );
}
