import { onContentUpdated } from 'vitepress';
// Without the web font, which is 400 KB of the site.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

/** The address of a server without settings, as the pages have it. */
const DEFAULT_ADDRESS = /(http|ws):\/\/127\.0\.0\.1:4000/g;

/** Replaces the default address by the address of the server that serves this page, so that commands work as they are shown. */
function showOwnAddress(): void {
  // Vite serves the pages while they are written; a page below /files/ shows a file as it is.
  if (import.meta.env.DEV || location.pathname.includes('/files/')) return;
  const withOwnAddress = (text: string): string =>
    text.replace(
      DEFAULT_ADDRESS,
      (_address, scheme) => `${scheme}${location.protocol === 'https:' ? 's' : ''}://${location.host}`,
    );
  for (const content of document.querySelectorAll('.vp-doc')) {
    for (const link of content.querySelectorAll('a')) {
      if (withOwnAddress(link.href) !== link.href) link.href = withOwnAddress(link.href);
    }
    const texts = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const text = withOwnAddress(node.nodeValue ?? '');
      if (text !== node.nodeValue) node.nodeValue = text;
    }
  }
}

export default {
  extends: theme,
  setup() {
    onContentUpdated(showOwnAddress);
  },
};
