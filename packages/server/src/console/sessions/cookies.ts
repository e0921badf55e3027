import type { FastifyReply, FastifyRequest } from 'fastify';

export interface Cookies {
  readonly session: Cookie;
  /** Ties a sign-in link to the browser that requested it. */
  readonly linkBrowser: Cookie;
}

export interface Cookie {
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, value: string, lifeMs: number): void;
  clear(reply: FastifyReply): void;
}

const VALUE = /^[\w.~-]{1,4000}$/;

function createCookie(name: string, path: string, secure: boolean): Cookie {
  const write = (reply: FastifyReply, value: string, seconds: number) =>
    void reply.header(
      'set-cookie',
      `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
    );
  return {
    read({ headers: { cookie = '' } }) {
      const pair = cookie.split(/;\s*/).find((part) => part.startsWith(`${name}=`));
      const value = pair?.slice(name.length + 1);
      return value !== undefined && VALUE.test(value) ? value : null;
    },
    set: (reply, value, lifeMs) => write(reply, value, Math.round(lifeMs / 1000)),
    clear: (reply) => write(reply, '', 0),
  };
}

/** Over https, the `__Host-` prefix makes browsers accept the cookie only from this host over https. */
export function createCookies(publicUrl: string): Cookies & { named(name: string): Cookie } {
  const secure = publicUrl.startsWith('https:');
  const named = (name: string) => createCookie(`${secure ? '__Host-' : ''}${name}`, '/', secure);
  return { session: named('foreword_session'), linkBrowser: named('foreword_asked'), named };
}
