import { sleep } from '../harness/index.ts';

const TIMEOUT_MS = 40_000;
const POLL_MS = 100;
/** The key of an element's id in responses, as the standard defines it. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

const FIND_VISIBLE = `
  const found = document.evaluate(arguments[0], document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  const elements = Array.from({ length: found.snapshotLength }, (_, at) => found.snapshotItem(at));
  return elements.find((element) => element.checkVisibility({ visibilityProperty: true })) ?? null;`;

// biome-ignore lint/suspicious/noExplicitAny: responses of the driver, which the caller knows.
type Value = any;

const quote = (text: string): string => (text.includes("'") ? `"${text}"` : `'${text}'`);

/** An element with this text or accessible name. */
export const named = (tag: 'button' | 'a' | 'h1' | 'h2' | '*', name: string): string =>
  `//${tag}[normalize-space()=${quote(name)} or @aria-label=${quote(name)}]`;

/** The innermost elements that contain this text. */
export const containing = (text: string): string =>
  `//*[contains(normalize-space(), ${quote(text)}) and not(*[contains(normalize-space(), ${quote(text)})])]`;

async function request(url: string, method: string, body?: object): Promise<Value> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const { value } = (await response.json()) as { value: Value };
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/** The error of an element that is gone or covered, because the page is still changing. */
const isMomentary = (error: unknown): boolean =>
  /^Error: (no such element|stale element reference|element click intercepted|element not interactable)/.test(
    String(error),
  );

/** A W3C WebDriver session. It finds visible elements by XPath. */
export async function openSession(driver: string, capabilities: object) {
  const { sessionId } = await request(`${driver}/session`, 'POST', { capabilities: { alwaysMatch: capabilities } });
  const base = `${driver}/session/${sessionId}`;
  const post = (path: string, body: object = {}) => request(`${base}/${path}`, 'POST', body);

  async function findVisible(xpath: string): Promise<string | null> {
    const element = await post('execute/sync', { script: FIND_VISIBLE, args: [xpath] });
    return element === null ? null : element[ELEMENT];
  }
  const evaluate = (expression: string) => post('execute/sync', { script: `return (${expression})`, args: [] });

  /** Repeats until the result is not null. */
  async function poll<Result>(goal: string, attempt: () => Promise<Result | null>): Promise<Result> {
    let last: unknown = 'not found';
    for (const started = performance.now(); performance.now() - started < TIMEOUT_MS; ) {
      try {
        const result = await attempt();
        if (result !== null) return result;
      } catch (error) {
        if (!isMomentary(error)) throw error;
        last = error;
      }
      await sleep(POLL_MS);
    }
    throw new Error(`${goal}: ${String(last)}\nThe page shows: ${await evaluate('document.body.innerText')}`);
  }
  const act = (xpath: string, action: (element: string) => Promise<unknown>) =>
    poll(xpath, async () => {
      const element = await findVisible(xpath);
      if (element === null) return null;
      await action(element);
      return element;
    });

  return {
    goto: (url: string) => post('url', { url }),
    /** Waits for the element, and returns its id. */
    until: (xpath: string) => poll(xpath, () => findVisible(xpath)),
    async click(xpath: string) {
      await act(xpath, (element) => post(`element/${element}/click`));
    },
    /** The value of an expression. */
    evaluate,
    /** Polls until the expression is true. */
    async untilTrue(expression: string) {
      await poll(expression, async () => ((await evaluate(expression)) === true ? true : null));
    },
    end: () => request(base, 'DELETE'),
  };
}
