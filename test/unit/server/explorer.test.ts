import { expect, test } from '@jest/globals';
import { htmlFor } from '../../../src/server/web-pages.ts';

test.each([
  ['/explore/', './'],
  ['/explore/tournament', './'],
  ['/explore/block/5', '../'],
  ['/explore/block/5?a=/b/c', '../'],
  ['/explore/search/a%2Fb', '../'],
  ['/explore/a/b/c', '../../'],
])('links of the explorer document are relative to %s', (url, prefix) => {
  const html = '<script src="./assets/a.js"></script><link href="./assets/b.css">';
  expect(htmlFor(html, url)).toBe(html.replaceAll('./', prefix));
});
