import { ToolbarButton, useGraphiQL } from '@graphiql/react';
import { linkTo } from '../shared-operation.ts';
import { copyLabel, useCopy } from './use-copy.ts';

/** Copies a link to the page with the query and the variables of the editors. */
export function ShareButton() {
  const { queryEditor, variableEditor } = useGraphiQL((state) => ({
    queryEditor: state.queryEditor,
    variableEditor: state.variableEditor,
  }));
  const [isCopied, copy] = useCopy();
  const onClick = () =>
    copy(linkTo(location.href, { query: queryEditor?.getValue() ?? '', variables: variableEditor?.getValue() || null }));
  return (
    <ToolbarButton label={`${copyLabel(isCopied)} link`} onClick={onClick}>
      <svg className="graphiql-toolbar-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
        <path strokeWidth="1.5" strokeLinecap="round" d={isCopied ? CHECK : LINK} />
      </svg>
    </ToolbarButton>
  );
}

const CHECK = 'M5 13l4.5 4.5L19 7.5';
const LINK = 'M10 13.5a4 4 0 0 0 5.7.3l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10.5a4 4 0 0 0-5.7-.3l-3 3a4 4 0 0 0 5.7 5.7l1-1';
