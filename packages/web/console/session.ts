import type { ConsoleSession, Role } from '@foreword/contract';
import { createContext, useContext } from 'react';

const RANK: Record<Role, number> = { member: 0, manager: 1, owner: 2 };

/** Only decides what is shown: the server refuses by itself. */
export const mayActAs = (role: Role, needed: Role): boolean => RANK[role] >= RANK[needed];

export function readSession(): ConsoleSession {
  const element = document.getElementById('session');
  if (element === null) throw new Error('This page was not made for the console.');
  return JSON.parse(element.textContent ?? '') as ConsoleSession;
}

const SessionContext = createContext<ConsoleSession | null>(null);
export const SessionProvider = SessionContext.Provider;

export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('There is no session above this.');
  return session;
}

/** Whether the person may do what needs this role, for showing or leaving out a button. */
export function useMay(needed: Role): boolean {
  return mayActAs(useSession().member.role, needed);
}
