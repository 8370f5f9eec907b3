/** From the darkest to the lightest of one family of colours, with one that stands out. */
export interface Palette {
  night: string;
  deep: string;
  base: string;
  light: string;
  accent: string;
  paper: string;
}

const palette = (
  night: string,
  deep: string,
  base: string,
  light: string,
  accent: string,
  paper: string,
): Palette => ({
  night,
  deep,
  base,
  light,
  accent,
  paper,
});

export const palettes = {
  ember: palette('#1b0f1f', '#52163a', '#b5342f', '#f6a04d', '#ffd98a', '#fff4e0'),
  abyss: palette('#03141f', '#06324a', '#0b6b86', '#3cc6c9', '#ffd166', '#e8fbff'),
  neon: palette('#12062b', '#2d0f5e', '#8a1fb0', '#ff4f9a', '#35e0ff', '#fdeaff'),
  forest: palette('#06140f', '#0f3226', '#1f6145', '#82c27c', '#ffc95e', '#f3fbe9'),
  meadow: palette('#12332a', '#2b6a44', '#79b654', '#f9e48a', '#e4573a', '#fffbe8'),
  cosmos: palette('#070a1d', '#171e52', '#3f4db4', '#8fa6ff', '#ff9e6d', '#eef1ff'),
  steel: palette('#0d1620', '#1d3142', '#44687f', '#9cc5da', '#ff8144', '#eef6fb'),
  crimson: palette('#1d0609', '#560e17', '#bd1f2c', '#ff6a5c', '#ffd9a0', '#fff3ec'),
  royal: palette('#130a2e', '#2d1a6d', '#5c40d6', '#ab9aff', '#ffce5c', '#f4f0ff'),
  lime: palette('#04180f', '#0a3d26', '#118a49', '#5fe08f', '#eaff8f', '#ecfff3'),
  blurple: palette('#11132e', '#2a2e7c', '#5663e8', '#a8b2ff', '#ff8fd0', '#f0f2ff'),
  sapphire: palette('#041034', '#0b2b7c', '#1f60e0', '#82b8ff', '#ffd25e', '#ecf4ff'),
  sand: palette('#2a1a10', '#6e4427', '#c98848', '#f3cf97', '#2c7d74', '#fff8ec'),
  rose: palette('#2a0d1d', '#78264c', '#d8598a', '#ffb3c9', '#ffe08a', '#fff0f5'),
  mint: palette('#05221f', '#0d504b', '#1f9c8e', '#92e8d5', '#ffb566', '#effffb'),
  slate: palette('#11141a', '#262e3c', '#576580', '#b6c2d6', '#5ad0ff', '#f4f7fb'),
} as const;

export type PaletteName = keyof typeof palettes;
