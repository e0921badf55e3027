-- Limits on texts through a real carrier. Nodes of the previous version ignore them, and do not count their texts.
alter table delivery_settings
  -- The countries that the owner chose; null: the organization's own, and those below.
  add column countries text[],
  -- Countries that the organization texted before there was a list.
  add column earlier_countries text[],
  add column texts_test_recordings boolean not null default false,
  -- Set by the operator; null: the defaults.
  add column daily_texts integer check (daily_texts >= 0),
  add column daily_texts_per_member integer check (daily_texts_per_member >= 0),
  add column daily_texts_per_recipient integer check (daily_texts_per_recipient >= 0),
  add column texts_paused_at timestamptz,
  add column texts_paused_for text check (texts_paused_for in ('burst', 'failures')),
  add column texts_resumed_at timestamptz,
  add check ((texts_paused_at is null) = (texts_paused_for is null));

-- A recording of the test helper, which is not the member's.
alter table recordings add column simulated boolean not null default false;

-- What an email to the owners is about.
alter table owner_letters add column purpose text not null default 'webhook_disabled';

-- Texts handed to a carrier on one local day. The subject is '' for the whole organization, a member's id, or a recipient's
-- number.
create table text_counts (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  subject text collate "C" not null,
  day date not null,
  sent integer not null default 0,
  failed integer not null default 0,
  -- Whether the owners were notified that the limit is reached.
  notified boolean not null default false,
  primary key (organization_id, environment, subject, day)
);

-- Not validated, because every row satisfies the narrower condition it replaces.
alter table messages drop constraint messages_held_for_check;
alter table messages add constraint messages_held_for_check
  check (held_for in ('quiet_hours', 'recent_text', 'recording', 'daily_limit', 'texts_paused')) not valid;

-- Open consoles show a pause at once.
create trigger delivery_settings_inserted after insert on delivery_settings
  referencing new table as changed for each statement execute function tell_console('organization');
create trigger delivery_settings_updated after update on delivery_settings
  referencing new table as changed for each statement execute function tell_console('organization');

-- No organization stops texting: its history is that of the last 28 days,
insert into text_counts (organization_id, environment, subject, day, sent)
select m.organization_id, m.environment, '', (m.accepted_at at time zone o.timezone)::date, count(*)
from messages m
join organizations o on o.id = m.organization_id
where m.channel = 'text' and m.carrier not in ('log', 'simulated') and m.accepted_at > now() - interval '28 days'
group by 1, 2, 4;

-- and its countries are those it texted in the last 90 days, those of its members, and those of intros that it is to deliver.
with codes as (
  select left(entry, 2) as country, '+' || substr(entry, 3) as prefix
  from regexp_split_to_table('
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
IM441624 IM4474576 IM447524 IM447624 IM447924', '\s+') as entry
  where entry <> ''
),
numbers as (
  select organization_id, environment, address as phone from messages
  where channel = 'text' and carrier not in ('log', 'simulated') and accepted_at > now() - interval '90 days'
  union
  select organization_id, environment, phone from members where active and phone is not null
  union
  select organization_id, environment, recipient_phone from intros
  where status in ('requested', 'ready') and responsibility = 'service'
),
prefixes as (select distinct organization_id, environment, left(phone, 8) as prefix from numbers where phone not like '+1500555%'),
found as (
  select p.organization_id, p.environment, (
    select country from codes where p.prefix like codes.prefix || '%' order by length(codes.prefix) desc limit 1
  ) as country
  from prefixes p
)
insert into delivery_settings (organization_id, environment, earlier_countries, updated_at)
select organization_id, environment, array_agg(distinct country order by country), now()
from found
where country is not null
group by 1, 2
on conflict (organization_id, environment) do update set earlier_countries = excluded.earlier_countries;
