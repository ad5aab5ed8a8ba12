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

/**
 * Names the controls of the history and of the query builder: GraphiQL gives them no name, or one without their text. Shows the top of the query
 * builder, whose last argument takes the focus of the button that opens it.
 */
export function PanelNames() {
  useEffect(() => {
    const panel = document.querySelector<HTMLElement>('.graphiql-plugin');
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
    panel.tabIndex = -1;
    const takeFocus = ({ relatedTarget }: FocusEvent) => {
      if (!(relatedTarget instanceof HTMLElement && relatedTarget.matches('.graphiql-sidebar > [aria-label$="builder"]'))) return;
      // Not the button, which would show its tooltip over the bar of a phone.
      panel.focus();
      panel.scrollTop = 0;
    };
    panel.addEventListener('focusin', takeFocus);
    return () => {
      observer.disconnect();
      panel.removeEventListener('focusin', takeFocus);
    };
  }, []);
  return null;
}
