import type { ConsoleSession, PendingSignIn, Role } from '@foreword/contract';
import { ROLES } from '@foreword/contract/plain';
import { createContext, useContext } from 'react';

/** Only for showing and hiding: the server enforces roles. */
export const mayActAs = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

export function readSession(): ConsoleSession {
  const element = document.getElementById('session');
  if (element === null) throw new Error('The page has no #session element.');
  return JSON.parse(element.textContent ?? '') as ConsoleSession;
}

/** Null once the member is signed in completely. */
export function readPendingSignIn(): PendingSignIn | null {
  const element = document.getElementById('pending');
  return element === null ? null : (JSON.parse(element.textContent ?? '') as PendingSignIn);
}

const SessionContext = createContext<ConsoleSession | null>(null);
export const SessionProvider = SessionContext.Provider;

export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession needs a SessionProvider above it.');
  return session;
}

/** Whether the signed-in member has at least this role. */
export function useMay(needed: Role): boolean {
  return mayActAs(useSession().member.role, needed);
}
