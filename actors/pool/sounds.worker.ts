import { pinyin } from 'pinyin-pro'
import { packSounds, type Sounds } from '../../src/domain/stock-search.ts'
import { poolWork } from '../../src/jobs/pool-work.ts'

/** Names of stocks, in whatever characters. */
export type SoundsWanted = readonly string[]

/** How each name is spoken, packed, in the order of the names. */
export const work = poolWork<SoundsWanted, readonly string[]>((names) =>
  names.map((name) => packSounds(soundsOf(name))),
)

/** One character of Chinese, or everything between two of them. */
const UNIT = /\p{Script=Han}|[^\p{Script=Han}]+/gu
const HAN = /\p{Script=Han}/u
const NEITHER_LETTER_NOR_DIGIT = /[^a-z0-9]/g

/** ü is typed v. */
const TYPED = { toneType: 'none', type: 'array', v: true } as const

/** The reading in this name first (银行 is yin hang), then those that a character has elsewhere: names are read in more ways than one. */
function soundsOf(name: string): Sounds {
  const units = name.match(UNIT) ?? []
  const likely = pinyin(name, { ...TYPED, nonZh: 'consecutive' })
  const sounds = units.map((unit, index) => {
    if (!HAN.test(unit)) return [unit.toLowerCase().replace(NEITHER_LETTER_NOR_DIGIT, '')]
    const [first = ''] = likely.length === units.length ? [likely[index]] : []
    return [...new Set([first, ...readingsOf(unit)])].filter((reading) => reading !== '')
  })
  return sounds.filter((readings) => readings.some((reading) => reading !== ''))
}

const known = new Map<string, readonly string[]>()

/** Every reading of a character; there are a few thousand characters in all names. */
function readingsOf(character: string): readonly string[] {
  const found = known.get(character) ?? pinyin(character, { ...TYPED, multiple: true })
  known.set(character, found)
  return found
}
