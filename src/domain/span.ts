import type { InBoth } from './in-both.ts'

const UNITS = [
  { seconds: 86_400, from: 172_800, zh: '天', en: 'd' },
  { seconds: 3_600, from: 3_600, zh: '小时', en: 'h' },
  { seconds: 60, from: 60, zh: '分钟', en: 'min' },
  { seconds: 1, from: 0, zh: '秒', en: 's' },
] as const

/** A length of time in words, in whole units of the kind that suits it: `19 小时`, `19 h`. Negative is none. */
export function spanInBoth(ms: number): InBoth {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const unit = UNITS.find(({ from }) => seconds >= from) ?? UNITS[3]
  const count = Math.floor(seconds / unit.seconds)
  return { zh: `${count} ${unit.zh}`, en: `${count} ${unit.en}` }
}
