/** How much space rows of lists take. Kept per browser, because a phone and a desk differ. */
export const DENSITIES = ['comfortable', 'default', 'compact'] as const;
type Density = (typeof DENSITIES)[number];

const KEY = 'foreword.density';

/** The default where the browser blocks storage. */
export function readDensity(): Density {
  try {
    return DENSITIES.find((density) => density === localStorage.getItem(KEY)) ?? 'default';
  } catch {
    return 'default';
  }
}

/** Lists follow the attribute in CSS. */
const showDensity = (density: Density): void => {
  document.documentElement.dataset.density = density;
};

export function changeDensity(density: Density): void {
  showDensity(density);
  try {
    localStorage.setItem(KEY, density);
  } catch {
    // Then it lasts until the page closes.
  }
}

/** Before the first list appears. Another tab may change it later. */
export function startDensity(): void {
  showDensity(readDensity());
  window.addEventListener('storage', ({ key }) => (key === KEY || key === null) && showDensity(readDensity()));
}
