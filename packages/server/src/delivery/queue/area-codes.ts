const ZONES = {
  E: 'America/New_York',
  C: 'America/Chicago',
  M: 'America/Denver',
  A: 'America/Phoenix',
  P: 'America/Los_Angeles',
  K: 'America/Anchorage',
  D: 'America/Adak',
  H: 'Pacific/Honolulu',
} as const;

/** The area codes of each state, after the letters of all time zones in which they are used. */
const AREA_CODES = `
Alabama C 205 251 256 334 483 659 938
Alaska KD 907
Arizona A 480 520 602 623
Arizona AM 928
Arkansas C 327 479 501 870
California P 209 213 279 310 323 341 350 357 369 408 415 424 442 510 530 559 562 619 626 628 650 657 661 669 707 714 738 747
California P 760 805 818 820 831 837 840 858 909 916 925 949 951
Colorado M 303 719 720 748 970 983
Connecticut E 203 475 860 959
Delaware E 302
District of Columbia E 202 771
Florida E 239 305 321 324 352 386 407 561 645 656 689 727 728 754 772 786 813 863 904 941 954
Florida EC 448 850
Georgia E 229 404 470 478 678 706 762 770 912 943
Hawaii H 808
Idaho MP 208 986
Illinois C 217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 861 872
Indiana E 260 317 463 765
Indiana EC 219 574 812 930
Iowa C 319 515 563 641 712
Kansas C 316 913
Kansas CM 620 785
Kentucky E 502 859
Kentucky EC 270 364 606
Louisiana C 225 318 337 457 504 985
Maine E 207
Maryland E 227 240 301 410 443 667
Massachusetts E 339 351 413 508 617 774 781 857 978
Michigan E 231 248 269 313 517 586 616 679 734 810 947 989
Michigan EC 906
Minnesota C 218 320 507 612 651 763 924 952
Mississippi C 228 471 601 662 769
Missouri C 235 314 417 557 573 636 660 816 975
Montana M 406
Nebraska C 402 531
Nebraska CM 308
Nevada P 702 725
Nevada PM 775
New Hampshire E 603
New Jersey E 201 551 609 640 732 848 856 862 908 973
New Mexico M 505 575
New York E 212 315 329 332 347 363 516 518 585 607 624 631 646 680 716 718 838 845 914 917 929 934
North Carolina E 252 336 472 704 743 828 910 919 980 984
North Dakota CM 701
Ohio E 216 220 234 283 326 330 380 419 436 440 513 567 614 740 937
Oklahoma C 405 539 572 580 918
Oregon P 503 971
Oregon PM 458 541
Pennsylvania E 215 223 267 272 412 445 484 570 582 610 717 724 814 835 878
Rhode Island E 401
South Carolina E 803 821 839 843 854 864
South Dakota CM 605
Tennessee C 615 629 731 901 931
Tennessee E 865
Tennessee EC 423 729
Texas C 210 214 254 281 325 346 361 409 430 432 469 512 621 682 713 726 737 806 817 830 832 903 936 940 945 956 972 979
Texas M 915
Utah M 385 435 801
Vermont E 802
Virginia E 276 434 540 571 686 703 757 804 826 948
Washington P 206 253 360 425 509 564
West Virginia E 304 681
Wisconsin C 262 274 353 414 534 608 715 920
Wyoming M 307`;

export interface AreaCode {
  /** The state, or the District of Columbia. */
  readonly state: string;
  readonly timezones: readonly string[];
}

const LINE = /^(?<state>[A-Za-z ]+) (?<zones>[A-Z]+) (?<codes>[\d ]+)$/;

function readLine(line: string): [string, AreaCode][] {
  const { state = '', zones = '', codes = '' } = LINE.exec(line)?.groups ?? {};
  const timezones = [...zones].map((letter) => ZONES[letter as keyof typeof ZONES]);
  return codes.split(' ').map((code) => [code, { state, timezones }]);
}

export const US_AREA_CODES: ReadonlyMap<string, AreaCode> = new Map(AREA_CODES.trim().split('\n').flatMap(readLine));

/** Null for numbers of other countries and for area codes without a state, such as 800 or one that is too new. */
export const areaCodeOf = (phone: string): AreaCode | null =>
  phone.startsWith('+1') ? (US_AREA_CODES.get(phone.slice(2, 5)) ?? null) : null;
