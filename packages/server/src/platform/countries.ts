/**
 * Calling codes of countries, `+` included; the longest one that a number begins with decides. Networks without a country,
 * such as satellite phones (+870, +881, +882, +883), are left out on purpose: their texts cost the most.
 */
const CALLING_CODES = `
RU7 KZ76 KZ77 EG20 ZA27 GR30 NL31 BE32 FR33 ES34 HU36 IT39 RO40 CH41 AT43 GB44 DK45 SE46 NO47 PL48 DE49 PE51 MX52 CU53
AR54 BR55 CL56 CO57 VE58 MY60 AU61 ID62 PH63 NZ64 SG65 TH66 JP81 KR82 VN84 CN86 TR90 IN91 PK92 AF93 LK94 MM95 IR98 SS211
MA212 DZ213 TN216 LY218 GM220 SN221 MR222 ML223 GN224 CI225 BF226 NE227 TG228 BJ229 MU230 LR231 SL232 GH233 NG234 TD235
CF236 CM237 CV238 ST239 GQ240 GA241 CG242 CD243 AO244 GW245 IO246 AC247 SC248 SD249 RW250 ET251 SO252 DJ253 KE254 TZ255
UG256 BI257 MZ258 ZM260 MG261 RE262 YT262269 YT262639 ZW263 NA264 MW265 LS266 BW267 SZ268 KM269 SH290 ER291 AW297 FO298
GL299 GI350 PT351 LU352 IE353 IS354 AL355 MT356 CY357 FI358 BG359 LT370 LV371 EE372 MD373 AM374 BY375 AD376 MC377 SM378
UA380 RS381 ME382 XK383 HR385 SI386 BA387 MK389 CZ420 SK421 LI423 FK500 BZ501 GT502 SV503 HN504 NI505 CR506 PA507 PM508
HT509 GP590 BO591 GY592 EC593 GF594 PY595 MQ596 SR597 UY598 CW599 BQ5993 BQ5994 BQ5997 TL670 NF672 BN673 NR674 PG675
TO676 SB677 VU678 FJ679 PW680 WF681 CK682 NU683 WS685 KI686 NC687 TV688 PF689 TK690 FM691 MH692 KP850 HK852 MO853 KH855
LA856 BD880 TW886 MV960 LB961 JO962 SY963 IQ964 KW965 SA966 YE967 OM968 PS970 AE971 IL972 BH973 QA974 BT975 MN976 NP977
TJ992 TM993 AZ994 GE995 KG996 UZ998
US1 BS1242 BB1246 AI1264 AG1268 VG1284 VI1340 KY1345 BM1441 GD1473 TC1649 JM1658 MS1664 MP1670 GU1671 AS1684 SX1721
LC1758 DM1767 VC1784 PR1787 DO1809 DO1829 DO1849 TT1868 KN1869 JM1876 PR1939
CA1204 CA1226 CA1236 CA1249 CA1250 CA1257 CA1263 CA1289 CA1306 CA1343 CA1354 CA1365 CA1367 CA1368 CA1382 CA1403 CA1416
CA1418 CA1428 CA1431 CA1437 CA1438 CA1450 CA1468 CA1474 CA1506 CA1514 CA1519 CA1548 CA1579 CA1581 CA1584 CA1587 CA1600
CA1604 CA1613 CA1639 CA1647 CA1672 CA1683 CA1705 CA1709 CA1742 CA1753 CA1778 CA1780 CA1782 CA1807 CA1819 CA1825 CA1867
CA1873 CA1879 CA1902 CA1905 CA1942
GG441481 GG447781 GG447839 GG4479111 GG4479117 JE441534 JE447509 JE4477003 JE4477007 JE4477008 JE447797 JE447829 JE447937
IM441624 IM4474576 IM447524 IM447624 IM447924`;

/** Premium, shared-cost and personal numbers, which often redirect to premium ones, in the countries texted most. */
const PREMIUM = `
1900 1500 1521 1522 1533 1544 1566 1577 1588 1700 449 4470 44843 44844 44845 44870 44871 44872 44873 49900 49137 49180
3381 3382 3389 39199 3989 34803 34806 34807 34809 34901 34905 6113 6119 3190 35315 4184 4190 43810 43820 43821 43828
4390 4393 3290 46900 46939 46944 4699 4782 4590`;
/** The exchange of premium numbers in every area code of +1. */
const PREMIUM_EXCHANGE = /^1\d{3}976/;

const countries = new Map<string, string | null>();
for (const entry of CALLING_CODES.trim().split(/\s+/)) countries.set(entry.slice(2), entry.slice(0, 2));
for (const prefix of PREMIUM.trim().split(/\s+/)) countries.set(prefix, null);
const LONGEST_PREFIX = Math.max(...[...countries.keys()].map((prefix) => prefix.length));

/** Every country with a calling code of its own, as ISO 3166 codes. */
export const COUNTRIES: readonly string[] = [...new Set(countries.values())].filter((code) => code !== null).sort();

/** The country that a number in E.164 form belongs to; null for premium numbers and networks without a country. */
export function countryOfPhone(phone: string): string | null {
  const digits = phone.slice(1);
  if (PREMIUM_EXCHANGE.test(digits)) return null;
  for (let length = Math.min(LONGEST_PREFIX, digits.length); length > 0; length -= 1) {
    const country = countries.get(digits.slice(0, length));
    if (country !== undefined) return country;
  }
  return null;
}

function findTimezoneCountry(timezone: string): string | null {
  if (!timezone.includes('/') || timezone.startsWith('Etc/')) return null;
  // Zones have several names; Intl lists one of them for each country.
  const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: timezone }).resolvedOptions();
  // The most common country first: each of the others costs a lookup of a tenth of a millisecond.
  const found = ['US', ...COUNTRIES].find((country) => {
    const zones = new Intl.Locale(`und-${country}`).getTimeZones() ?? [];
    return zones.includes(timeZone) || zones.includes(timezone);
  });
  return found ?? null;
}

// The list of time zones bounds the size.
const timezoneCountries = new Map<string, string | null>();

/** The country that a time zone lies in; null for UTC and the like. */
export function countryOfTimezone(timezone: string): string | null {
  let country = timezoneCountries.get(timezone);
  if (country === undefined) {
    country = findTimezoneCountry(timezone);
    timezoneCountries.set(timezone, country);
  }
  return country;
}
