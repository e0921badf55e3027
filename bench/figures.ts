export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) * share;
  const below = sorted[Math.floor(middle)] ?? Number.NaN;
  const above = sorted[Math.ceil(middle)] ?? Number.NaN;
  return below + (above - below) * (middle % 1);
}

export interface Finding {
  readonly name: string;
  readonly measured: string;
  readonly target: string;
  /** Null: informational, without a target. */
  readonly ok: boolean | null;
}

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
export const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
export const times = (value: number): string => `${value.toFixed(2)} ×`;
export const kilobytes = (value: number): string => `${(value / 1_024).toFixed(1)} KB`;
export const megabytes = (value: number): string => `${Math.round(value)} MB`;

export function atLeast(name: string, value: number, target: number, show: (value: number) => string): Finding {
  return { name, measured: show(value), target: `≥ ${show(target)}`, ok: value >= target };
}

export function atMost(name: string, value: number, target: number, show: (value: number) => string): Finding {
  return { name, measured: show(value), target: `≤ ${show(target)}`, ok: value <= target };
}

export const info = (name: string, measured: string): Finding => ({ name, measured, target: '', ok: null });

export function printTable(findings: readonly Finding[]): void {
  const rows = findings.map(({ name, measured, target, ok }) => [
    name,
    measured,
    target,
    ok === null ? '' : ok ? 'yes' : 'NO',
  ]);
  const table = [['', 'measured', 'target', 'ok'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table) {
    print(row.map((cell, column) => (column === 3 ? cell : cell.padEnd((widths[column] ?? 0) + 2))).join(''));
  }
}
