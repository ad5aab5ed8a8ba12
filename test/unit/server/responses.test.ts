import { expect, test } from '@jest/globals';
import { errorResponseStatus } from '../../../src/server/requests/http-errors.ts';
import { htmlFor } from '../../../src/server/web-pages.ts';

test.each<[status: number, isExecuted: boolean, dropIn: number]>([
  [200, true, 400],
  [504, true, 400],
  [401, true, 401],
  [413, true, 413],
  [429, true, 429],
  [503, true, 503],
  [200, false, 400],
  [405, false, 405],
  [500, false, 500],
])('an error of status %i (executed: %s) keeps its status, and has status %i in drop-in mode', (status, isExecuted, dropIn) => {
  expect([false, true].map((isDropIn) => errorResponseStatus(isDropIn, status, isExecuted))).toEqual([status, dropIn]);
});

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
