import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';

/**
 * Makes the tabs a list of buttons. GraphiQL gives the role `tab` to elements that contain buttons, which assistive technology then does not reach.
 */
export function TabRoles() {
  const { tabs, activeTabIndex } = useGraphiQL((state) => ({ tabs: state.tabs, activeTabIndex: state.activeTabIndex }));
  useEffect(() => {
    const items = [...document.querySelectorAll('.graphiql-tab')].slice(0, tabs.length);
    items[0]?.parentElement?.setAttribute('role', 'list');
    for (const [index, item] of items.entries()) {
      item.setAttribute('role', 'listitem');
      item.removeAttribute('aria-selected');
      item.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', String(index === activeTabIndex));
    }
  }, [tabs, activeTabIndex]);
  return null;
}

/** Names the controls of the history and of the query builder: GraphiQL gives them no name, or one without their text. */
export function PanelNames() {
  useEffect(() => {
    const panel = document.querySelector('.graphiql-plugin');
    if (!panel) return;
    const setNames = () => {
      for (const button of panel.querySelectorAll('.graphiql-history-item-label[aria-label]'))
        button.removeAttribute('aria-label');
      for (const control of panel.querySelectorAll('.graphiql-explorer-root :is(select, input):not([aria-label])')) {
        const argument = control.closest<HTMLElement>('[data-arg-name]')?.dataset.argName;
        control.setAttribute('aria-label', argument ?? (control.matches('select') ? 'Kind of operation' : 'Name'));
      }
    };
    const observer = new MutationObserver(setNames);
    observer.observe(panel, { childList: true, subtree: true });
    setNames();
    return () => observer.disconnect();
  }, []);
  return null;
}
