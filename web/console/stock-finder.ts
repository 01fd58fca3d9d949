import { shallowReactive } from 'vue'
import { asFault } from '../shared/fault.ts'
import { isWholeCode } from './ticket-state.ts'
import type { FoundStocks, Instrument } from './wire.ts'

/** How long a text must stand before it is looked for. */
export const LOOK_MS = 120
/** After a search without an answer. */
const AGAIN_MS = 2_000
/** The service reads no longer text; no stock is called so. */
const TEXT_CHARS_MAX = 32
const DIGITS = /^\d+$/

/** Of a stock, what a line of the list needs. */
export type Choice = Pick<Instrument, 'stock_code' | 'stock_name'> & Partial<Instrument>

/** What is offered to the text that stands in a field. */
export interface Offer {
  choices: readonly Choice[]
  /** Place of the line that Enter takes; −1 = none. */
  active: number
  isOpen: boolean
  /** The text was looked for and means nothing. */
  isNothing: boolean
  isFailed: boolean
  /** Of the answer that the lines are from. */
  list: Pick<FoundStocks, 'source' | 'day'> | undefined
}

const none = (): Offer => ({
  choices: [],
  active: -1,
  isOpen: false,
  isNothing: false,
  isFailed: false,
  list: undefined,
})

/**
 * Stocks for a text that is being typed. With every change what was offered goes, and an answer for an earlier text is
 * dropped however late it comes. A whole code is a stock by itself: nothing is offered for it, so nothing can be taken in
 * its place. Of a part of a code no line is taken unless it was chosen. A search that fails is tried again for as long as
 * somebody waits for it.
 */
export function createFinder(find: (text: string) => Promise<FoundStocks>, againMs = AGAIN_MS) {
  const offer = shallowReactive<Offer>(none())
  let asked = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The list was closed since: nobody waits for what is on its way. */
  let isClosed = false

  function forget(): void {
    asked += 1
    isClosed = false
    clearTimeout(timer)
    Object.assign(offer, none())
  }
  function type(typed: string): void {
    const text = typed.trim()
    forget()
    if (text === '' || isWholeCode(text)) return
    if (text.length > TEXT_CHARS_MAX) {
      offer.isNothing = true
      return
    }
    timer = setTimeout(() => void look(text), LOOK_MS)
  }
  async function look(text: string): Promise<void> {
    const mine = asked
    try {
      const found = await find(text)
      if (mine === asked) take(text, found)
    } catch {
      if (mine !== asked) return
      offer.isFailed = true
      if (!isClosed) timer = setTimeout(() => void look(text), againMs)
    }
  }
  function take(text: string, { instruments, source, day }: FoundStocks): void {
    show(instruments, DIGITS.test(text) ? -1 : 0)
    const isNothing = instruments.length === 0
    Object.assign(offer, { isNothing, isFailed: false, list: { source, day } })
    if (isClosed) close()
  }
  /** Lines that are known without asking. */
  function show(choices: readonly Choice[], active = -1): void {
    const isOpen = choices.length > 0
    Object.assign(offer, { choices, isOpen, active: isOpen ? active : -1 })
  }
  /** To the next line, round and round. */
  function move(step: 1 | -1): void {
    const { length } = offer.choices
    if (length === 0) return
    offer.isOpen = true
    const from = offer.active < 0 && step < 0 ? 0 : offer.active
    offer.active = (from + step + length) % length
  }
  /** The lines stay, for an arrow that wants them back; what would still come opens nothing any more. */
  function close(): void {
    isClosed = true
    if (offer.isFailed) clearTimeout(timer)
    offer.isOpen = false
    offer.active = -1
  }
  /** Somebody waits again for what is found, also for a text whose search had failed. */
  function wake(text: string): void {
    isClosed = false
    if (offer.isFailed) type(text)
  }

  return { offer, type, show, move, close, wake, forget }
}

type Find = (text: string) => Promise<FoundStocks>
/** Asks for so many at once; a service that gives no answer as long is asked for what it gives by itself, from then on. */
export function asMany(
  most: number,
  find: (text: string, limit: string) => Promise<FoundStocks>,
): Find {
  let limit = `limit=${most}&`
  return async (text) => {
    try {
      return await find(text, limit)
    } catch (error) {
      if (limit === '' || asFault(error).code !== 'VALIDATION') throw error
      limit = ''
      return find(text, limit)
    }
  }
}
