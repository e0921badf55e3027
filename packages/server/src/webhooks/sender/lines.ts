import type { EndpointKey } from './store.ts';

/** Attempts under way in one process; each is a socket and little else. */
export const MAX_PARALLEL = 512;
/** Of these, how many may go to endpoints whose last attempt failed: those that hang leave room for the others. */
const TROUBLED_PARALLEL = 256;
/** What one endpoint gets at once: a few, more after each success, few again after a failure. */
const FIRST_LIMIT = 4;
const HIGHEST_LIMIT = 16;
/** Idle lines are forgotten beyond so many; all they know is how the last attempt went. */
const REMEMBERED = 5_000;

export interface Line {
  readonly key: EndpointKey;
  limit: number;
  running: number;
  isTroubled: boolean;
  /** Something may be due that was not taken. */
  mayHaveMore: boolean;
}

/** Which endpoints may be sent something, and how much at once. Each stands in a line of its own. */
export class Lines {
  private readonly lines = new Map<string, Line>();
  /** With something due, perhaps, and room for it; who was served last stands last. */
  private readonly ready = new Set<Line>();
  private all = 0;
  private troubled = 0;

  get running(): number {
    return this.all;
  }

  find(key: EndpointKey): Line {
    const name = `${key.organizationId} ${key.endpointId}`;
    let line = this.lines.get(name);
    if (line === undefined) {
      if (this.lines.size >= REMEMBERED) this.forgetIdle();
      line = { key, limit: FIRST_LIMIT, running: 0, isTroubled: false, mayHaveMore: false };
      this.lines.set(name, line);
    }
    return line;
  }

  /** Something may be due for it. */
  mark(line: Line): void {
    line.mayHaveMore = true;
    this.offer(line);
  }

  /** Who is to be asked now, and for how much. Until it is marked again nobody is chosen twice. */
  choose(): { line: Line; room: number }[] {
    let free = MAX_PARALLEL - this.all;
    let freeForTroubled = TROUBLED_PARALLEL - this.troubled;
    const chosen: { line: Line; room: number }[] = [];
    for (const line of this.ready) {
      if (free <= 0) break;
      const room = Math.min(line.limit - line.running, free, line.isTroubled ? freeForTroubled : free);
      if (room <= 0) continue;
      free -= room;
      if (line.isTroubled) freeForTroubled -= room;
      // Before the question is asked: a mark that comes while it is answered must count.
      line.mayHaveMore = false;
      this.ready.delete(line);
      chosen.push({ line, room });
    }
    return chosen;
  }

  begin(line: Line): void {
    line.running += 1;
    this.all += 1;
    if (line.isTroubled) this.troubled += 1;
  }

  /** `null`: nothing was learnt about the endpoint. */
  end(line: Line, succeeded: boolean | null): void {
    line.running -= 1;
    this.all -= 1;
    if (line.isTroubled) this.troubled -= 1;
    if (succeeded !== null) this.learn(line, succeeded);
    this.offer(line);
  }

  private learn(line: Line, succeeded: boolean): void {
    line.limit = succeeded ? Math.min(HIGHEST_LIMIT, line.limit * 2) : FIRST_LIMIT;
    if (line.isTroubled === succeeded) this.troubled += succeeded ? -line.running : line.running;
    line.isTroubled = !succeeded;
  }

  private offer(line: Line): void {
    if (line.mayHaveMore && line.running < line.limit) this.ready.add(line);
  }

  private forgetIdle(): void {
    for (const [name, line] of this.lines) if (line.running === 0 && !line.mayHaveMore) this.lines.delete(name);
  }
}
