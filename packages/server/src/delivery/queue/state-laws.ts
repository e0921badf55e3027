import type { Hours } from '../../platform/daily-hours.ts';

/** When businesses may text people in a US state whose law is stricter than the TCPA. Null: not on that day. */
export interface StateLaw {
  readonly name: string;
  readonly law: string;
  readonly weekdays: Hours;
  readonly saturday: Hours | null;
  readonly sunday: Hours | null;
  /** The law is about calls by automatic devices, or our source for its hours is not the law itself. */
  readonly isConservative?: true;
}

const hours = (from: number, until: number): Hours => ({ from: from * 60, until: until * 60 });
const everyDay = (from: number, until: number) => ({
  weekdays: hours(from, until),
  saturday: hours(from, until),
  sunday: hours(from, until),
});
const notOnSundays = (from: number, until: number) => ({ ...everyDay(from, until), sunday: null });

/** Laws about telephone solicitations, which most of these texts are not. `holidays.ts` has the holidays of some states. */
export const STATE_LAWS: readonly StateLaw[] = [
  { name: 'Alabama', law: 'Ala. Admin. Code r. 770-X-5-.17', ...notOnSundays(8, 20), isConservative: true },
  { name: 'Connecticut', law: 'Conn. Gen. Stat. § 42-288a', ...everyDay(9, 20) },
  { name: 'Florida', law: 'Fla. Stat. § 501.616(6)(a)', ...everyDay(8, 20) },
  { name: 'Kentucky', law: 'KRS 367.46955', ...everyDay(10, 21) },
  { name: 'Louisiana', law: 'La. R.S. 45:811; La. PSC General Order R-29617', ...notOnSundays(8, 20) },
  { name: 'Maryland', law: 'Md. Code, Com. Law § 14-4502', ...everyDay(8, 20) },
  { name: 'Massachusetts', law: 'Mass. Gen. Laws ch. 159C, § 3', ...everyDay(8, 20) },
  { name: 'Michigan', law: 'Mich. Comp. Laws § 445.111 et seq.', ...everyDay(9, 21), isConservative: true },
  { name: 'Minnesota', law: 'Minn. Stat. § 325E.30', ...everyDay(9, 21), isConservative: true },
  { name: 'Mississippi', law: 'Miss. Code § 77-3-723', ...notOnSundays(8, 20) },
  { name: 'Nevada', law: 'Nev. Rev. Stat. § 597.814', ...everyDay(9, 20), isConservative: true },
  { name: 'New Mexico', law: 'N.M. Stat. § 57-12-22(B)(5)', ...everyDay(9, 21) },
  { name: 'Oklahoma', law: 'Okla. Stat. tit. 15, § 775C.4', ...everyDay(8, 20) },
  { name: 'Oregon', law: 'Or. House Bill 3865 (2025), ORS ch. 646', ...everyDay(8, 20) },
  {
    name: 'Pennsylvania',
    law: '73 P.S. § 2245(a), as amended for October 18, 2026',
    ...notOnSundays(8, 21),
    isConservative: true,
  },
  {
    name: 'Rhode Island',
    law: 'R.I. Gen. Laws §§ 5-61-2(2), 5-61-3.6',
    weekdays: hours(9, 18),
    saturday: hours(10, 17),
    sunday: null,
  },
  {
    name: 'South Dakota',
    law: 'S.D. Codified Laws § 37-30-28',
    weekdays: hours(9, 21),
    saturday: null,
    sunday: null,
    isConservative: true,
  },
  { name: 'Texas', law: 'Tex. Bus. & Com. Code § 301.051', ...everyDay(9, 21), sunday: hours(12, 21) },
  { name: 'Utah', law: 'Utah Code § 13-25a-103(3)', ...notOnSundays(8, 21) },
  { name: 'Washington', law: 'RCW 80.36.390, 19.158.040(2)', ...everyDay(8, 20) },
  { name: 'Wyoming', law: 'Wyo. Stat. § 40-12-301 et seq.', ...everyDay(8, 20), isConservative: true },
];
