import { ToolbarButton, ToolbarMenu, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { type Example, examples } from './examples.ts';

/** The way back to an example whose tab was closed or edited: it opens in a tab of its own, nothing is overwritten. */
export function ExamplesMenu() {
  const { addTab, changeTab } = useGraphiQLActions();
  const { tabs, queryEditor } = useGraphiQL(({ tabs, queryEditor }) => ({ tabs, queryEditor }));
  const open = ({ query }: Example) => {
    const already = tabs.findIndex((tab) => tab.query === query);
    if (already >= 0) return changeTab(already);
    addTab();
    queryEditor?.setValue(query);
  };
  return (
    <ToolbarMenu
      button={
        <ToolbarButton label="Examples">
          <svg className="graphiql-toolbar-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
            <path strokeWidth="1.75" strokeLinecap="round" d="M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" />
          </svg>
        </ToolbarButton>
      }
    >
      {examples.map((example) => (
        <ToolbarMenu.Item key={example.query} onSelect={() => open(example)}>
          {example.title}
        </ToolbarMenu.Item>
      ))}
    </ToolbarMenu>
  );
}
