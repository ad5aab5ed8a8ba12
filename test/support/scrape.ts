/** A scrape of `/metrics`. */
export interface Scrape {
  readonly text: string;
  /** Names as queries use them: a histogram has three. */
  readonly names: ReadonlySet<string>;
  /** The names of the labels of all series, by metric. */
  labelsOf(name: string): ReadonlySet<string>;
}

const SUFFIXES = { histogram: ['_bucket', '_sum', '_count'], counter: [''], gauge: [''] };

/** Fetches and reads the metrics of a server. */
export async function scrapeMetrics(url: string): Promise<Scrape> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const types = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)];
  const names = types.flatMap(([, name, type]) => SUFFIXES[type as keyof typeof SUFFIXES].map((suffix) => name + suffix));
  return {
    text,
    names: new Set(names),
    labelsOf(name) {
      const series = text.split('\n').filter((line) => line.startsWith(`${name}{`));
      return new Set(series.flatMap((line) => [...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => label!)));
    },
  };
}
