import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { clearRun } from '../runs/run-store.ts';
import { variableValues } from '../world/variables.ts';
import type { Example } from './example.ts';
import { examples } from './examples.ts';

const isExample = (query: string): boolean => query.trim() === '' || examples.some((example) => example.query === query);

const textOf = (variables: Readonly<Record<string, unknown>>): string =>
  Object.keys(variables).length === 0 ? '' : JSON.stringify(variables, null, 2);

/** The example that the reader has chosen last. */
let chosen: Example | undefined;

/**
 * Returns a function that shows an example with variables of the running chain, and executes it unless it is a mutation. It takes the place of another
 * unchanged example; an edited operation stays in its tab. Resolves with false if the reader has chosen another example
 * before the variables were read.
 */
export function useExample(): (example: Example) => Promise<boolean> {
  const { addTab, run, setOperationName, stop, updateActiveTabValues } = useGraphiQLActions();
  const editors = useGraphiQL(({ queryEditor, variableEditor, responseEditor }) => ({
    queryEditor,
    variableEditor,
    responseEditor,
  }));
  return async (example) => {
    const { query, operationName, kind, variables } = example;
    chosen = example;
    stop();
    const values = { query, variables: textOf(await variableValues(variables)), response: '' };
    if (chosen !== example) return false;
    if (!isExample(editors.queryEditor?.getValue() ?? '')) addTab();
    editors.queryEditor?.setValue(values.query);
    editors.variableEditor?.setValue(values.variables);
    editors.responseEditor?.setValue(values.response);
    updateActiveTabValues({ ...values, operationName });
    // GraphiQL reads the name from the editor with a delay.
    setOperationName(operationName);
    clearRun();
    if (kind !== 'mutation') run();
    return true;
  };
}
