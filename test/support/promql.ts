const OPERATORS = new Set('by without on ignoring group_left group_right and or unless bool offset'.split(' '));
const TARGET_LABELS = new Set(['instance', 'job']);

/** Finds the metrics and the labels of an expression: names that are neither functions, labels, keywords, numbers nor durations. */
export function promqlUse(expression: string) {
  const withoutTexts = expression.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const selectors = [...withoutTexts.matchAll(/\{([^}]*)\}/g)].flatMap(([, matchers]) =>
    [...matchers!.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
  );
  const groupings = [...withoutTexts.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(',').map((label) => label.trim()),
  );
  const rest = withoutTexts
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without)\s*\([^)]*\)/g, '');
  const metrics = [...rest.matchAll(/(?<![\w.])[a-z_:][\w:]*(?!\w*\s*\()/gi)].map(([name]) => name);
  return {
    metrics: [...new Set(metrics.filter((name) => !OPERATORS.has(name)))],
    /** Labels in selectors and groupings, without the labels that Prometheus adds to each target. */
    labels: [...new Set([...selectors, ...groupings])].filter((label) => !TARGET_LABELS.has(label)),
  };
}
