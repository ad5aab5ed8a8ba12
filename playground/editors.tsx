import { useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import { useEffect, useRef } from 'react';
import { examples } from './examples/examples.ts';

/** Sizes of the panes until the reader moves their borders, under the names with which GraphiQL stores them: the query gets the most room. */
const PANE_SIZES = { 'graphiql:docExplorerFlex': '0.26', 'graphiql:editorFlex': '1.25' };

export function setPaneSizes(): void {
  try {
    for (const [name, size] of Object.entries(PANE_SIZES)) localStorage[name] ??= size;
  } catch {
    // The browser forbids storage: GraphiQL has sizes of its own.
  }
}

/** The storage of GraphiQL, whose history would store the credentials of the headers editor. */
export const storage = {
  getItem: (name: string) => localStorage.getItem(name),
  removeItem: (name: string) => localStorage.removeItem(name),
  setItem(name: string, text: string) {
    const isHistory = /:(queries|favorites)$/.test(name);
    const stored = isHistory ? JSON.stringify(JSON.parse(text, (key, value) => (key === 'headers' ? undefined : value))) : text;
    localStorage.setItem(name, stored);
  },
  clear() {
    for (const name of Object.keys(localStorage)) if (name.startsWith('graphiql:')) localStorage.removeItem(name);
  },
  get length() {
    return localStorage.length;
  },
};

/** The colours of `styles/colors.css` that Monaco needs: the background and the text of its menus, the accent, comments and numbers. */
const EDITOR_COLORS = {
  light: { base: 'vs', background: '#ffffff', text: '#1c2030', accent: '#5450c4', faint: '#5f667c', good: '#14784b' },
  dark: { base: 'vs-dark', background: '#181b26', text: '#e8eaf2', accent: '#a9a6ff', faint: '#98a0b8', good: '#5ed39b' },
} as const;

/** Adapts the editors to the page. Long lines are wrapped: there is no scroll bar that a finger can move. */
export function EditorSettings() {
  const { queryEditor, variableEditor, headerEditor, responseEditor } = useGraphiQL((state) => ({
    queryEditor: state.queryEditor,
    variableEditor: state.variableEditor,
    headerEditor: state.headerEditor,
    responseEditor: state.responseEditor,
  }));
  const monaco = useMonaco((state) => state.monaco);
  useEffect(() => {
    for (const editor of [queryEditor, variableEditor, headerEditor, responseEditor]) {
      editor?.updateOptions({ fontSize: 13, wordWrap: 'on', glyphMargin: false, lineDecorationsWidth: 16 });
    }
  }, [queryEditor, variableEditor, headerEditor, responseEditor]);
  useEffect(() => {
    for (const [mode, { base, background, text, accent, faint, good }] of Object.entries(EDITOR_COLORS)) {
      monaco?.editor.defineTheme(`graphiql-${mode.toUpperCase()}`, {
        base,
        inherit: true,
        rules: [
          { token: 'argument.identifier.gql', foreground: accent },
          { token: 'comment', foreground: faint },
          { token: 'number', foreground: good },
        ],
        colors: {
          'editor.background': '#ffffff00',
          'scrollbar.shadow': '#ffffff00',
          'editorLineNumber.foreground': faint,
          'editorLineNumber.dimmedForeground': faint,
          'editorHoverWidget.background': background,
          'editorSuggestWidget.background': background,
          'editorSuggestWidget.selectedBackground': `${accent}33`,
          'editorSuggestWidget.selectedForeground': text,
          'editorSuggestWidget.selectedIconForeground': text,
          'editorWidget.background': background,
          'menu.background': background,
          'quickInput.background': background,
          'textLink.foreground': accent,
          focusBorder: accent,
        },
      });
    }
  }, [monaco]);
  const theme = useGraphiQL((state) => state.theme);
  const { setTheme } = useGraphiQLActions();
  useEffect(() => {
    // GraphiQL reads the mode of the system once, so that dark editors would stay on a light page.
    const mode = matchMedia('(prefers-color-scheme: dark)');
    const update = () => theme ?? setTheme(null);
    mode.addEventListener('change', update);
    return () => mode.removeEventListener('change', update);
  }, [theme, setTheme]);
  return null;
}

/** Runs the first example, which a new page shows. `onStart` is called after the listeners of the run. */
export function FirstRun({ onStart }: { readonly onStart: () => void }) {
  const { run } = useGraphiQLActions();
  const isReady = useGraphiQL(({ queryEditor, responseEditor }) => Boolean(queryEditor && responseEditor));
  const query = useGraphiQL(({ queryEditor }) => queryEditor?.getValue());
  const hasRun = useRef(false);
  useEffect(() => {
    if (!isReady || hasRun.current) return;
    hasRun.current = true;
    if (query !== examples[0]!.query) return;
    run();
    onStart();
  }, [isReady, query, run, onStart]);
  return null;
}
