import { computed, onUnmounted, type Ref, reactive, ref, shallowRef, watch } from 'vue'
import { asFault, Fault } from '../shared/fault.ts'
import { bareCode } from '../shared/format.ts'
import { learnedName } from '../shared/names.ts'
import { clock } from '../shared/poll.ts'
import type { useDesk } from './desk.ts'
import { newKey } from './send.ts'
import type { Choice } from './stock-finder.ts'
import {
  isWholeCode,
  quoteAgeMs,
  type TicketSight,
  type Told,
  ticketState,
} from './ticket-state.ts'
import type { PreviewAnswer } from './wire.ts'

export const LIMIT = 11
export const LATEST = 5
/** What a purchase is asked about before the lots of the stock are known. */
export const PROBE_VOLUME = 100

export const PREVIEW = '/api/orders/preview'
const TYPING_MS = 250
const AGAIN_MS = 3_000
const ANSWER_MS_MAX = 5_000
/** How often the first quote of a stock is looked for. */
const FIRST_QUOTE_AGAIN_MS = 500

/** Every exchange knows these. */
const TYPES_EVERYWHERE: PreviewAnswer['price_types'] = [
  { type: LIMIT, takes_price: true },
  { type: LATEST, takes_price: false },
]

/** An empty field is '', one that cannot be read NaN. */
type Typed = number | ''

type Desk = ReturnType<typeof useDesk>

/**
 * The order that is being written, and what the service says of it. All that was told of a stock goes when the code
 * changes; an answer counts for the very order that it was asked about, however late it comes.
 */
export function useTicket(desk: Desk, isOpen: Ref<boolean>) {
  const form = reactive({
    side: 'buy' as 'buy' | 'sell',
    code: '',
    type: LIMIT,
    price: '' as Typed,
    volume: '' as Typed,
  })
  /** Fields that the operator has filled himself: they are never filled for him. */
  const touched = reactive({ price: false, volume: false })
  /** Fields that the last answer has filled. */
  const filled = shallowRef<readonly string[]>([])
  /** What was last told of the stock. */
  const facts = shallowRef<Told>()
  /** The terms that it was told of. */
  const toldOf = ref('')
  /** The verdict on the order as it stands. */
  const check = shallowRef<Told>()
  const fault = shallowRef<Fault>()
  /** The order that it is of. */
  const faultOf = ref('')
  /** One key for one intent: it changes with the order or its refusal, and stays when the same order is sent again. */
  const key = ref(newKey())
  let asked = 0
  /** Kept while the order has no limit: no worst price of a market order is made of it. */
  let limitPrice: Typed = ''
  const codeSinceMs = ref(0)
  let timer: ReturnType<typeof setTimeout> | undefined

  const code = computed(() => form.code.trim())
  const isWhole = computed(() => isWholeCode(code.value))
  /** The stock that was chosen by its name. */
  const chosen = shallowRef<Choice>()
  /** How the stock is called: by the account, by the list that it was chosen from, else by other rows; null = nobody has said. */
  const name = computed(() => {
    const told = facts.value?.answer.stock_name ?? null
    const isChosen = chosen.value?.stock_code === code.value
    return told ?? (isChosen ? chosen.value?.stock_name : null) ?? learnedName(code.value) ?? null
  })
  /** What the stock can be ordered by, as the service says. */
  const types = computed(() => facts.value?.answer.price_types ?? TYPES_EVERYWHERE)
  /** A limit, or the worst price of a market order, which may be left out. */
  const takesPrice = computed(() =>
    types.value.some(({ type, takes_price: takes }) => takes && type === form.type),
  )
  const isPriced = computed(() =>
    form.type === LIMIT ? Number(form.price) > 0 : !Number.isNaN(form.price),
  )
  const isComplete = computed(() => isWhole.value && Number(form.volume) > 0 && isPriced.value)
  /** The order, or what is asked to learn of the stock before there is one: the most follows from the price. */
  const body = computed(() => ({
    stock_code: code.value,
    order_type: form.side === 'buy' ? 23 : 24,
    order_volume: isComplete.value ? form.volume : PROBE_VOLUME,
    price_type: isPriced.value ? form.type : LATEST,
    ...(takesPrice.value && Number(form.price) > 0 && { price: form.price }),
  }))
  const intent = computed(() => JSON.stringify([isComplete.value, body.value]))
  /** What the most depends on. */
  const terms = computed(() => JSON.stringify([code.value, form.side, form.type, form.price]))
  /** How much may be ordered on these very terms; undefined until that is told. */
  const lots = computed(() => (toldOf.value === terms.value ? facts.value?.answer : undefined))

  const quote = computed(() => facts.value?.answer.quote ?? undefined)
  const sight = computed(
    (): TicketSight => ({
      nowMs: clock.nowMs,
      isWhole: isWhole.value,
      isComplete: isComplete.value,
      codeSinceMs: codeSinceMs.value,
      fault: fault.value,
      isOrdersFault: faultOf.value === intent.value,
      facts: facts.value,
      check: check.value,
    }),
  )
  const ageMs = computed(() => quoteAgeMs(sight.value))
  const state = computed(() => ticketState(sight.value))
  /**
   * Whether it may be sent: allowed, and where nothing is quoted, or no check comes in time, only at a price that was typed.
   * The service judges each order by the same rules when it comes.
   */
  const canPlace = computed(() => {
    if (state.value === 'passed' || state.value === 'oldQuote') return true
    if (!isComplete.value || form.type !== LIMIT) return false
    return state.value === 'noQuote' || (state.value === 'unchecked' && touched.price)
  })

  function forget(): void {
    facts.value = undefined
    check.value = undefined
    fault.value = undefined
    // A market order of one exchange is none of another.
    if (form.type !== LATEST) form.type = LIMIT
    limitPrice = ''
    form.price = ''
    form.volume = ''
    Object.assign(touched, { price: false, volume: false })
    codeSinceMs.value = Date.now()
  }
  /** Begins anew, with nothing of what was there before. */
  function begin(side: 'buy' | 'sell', stock: string): void {
    asked += 1
    Object.assign(form, { side, code: stock, type: LIMIT })
    forget()
    renew()
    later(0)
  }

  /** The order as it stands is another intent from now on. */
  function renew(): void {
    key.value = newKey()
  }

  // In step with the field: what was told of the former stock is not shown for a moment beside the new code.
  watch(code, forget, { flush: 'sync' })
  watch(
    () => form.type,
    (next, before) => {
      if (before === LIMIT) limitPrice = Number.isNaN(form.price) ? '' : form.price
      form.price = next === LIMIT ? limitPrice : ''
    },
    { flush: 'sync' },
  )
  watch(
    () => form.side,
    () => {
      if (!touched.volume) form.volume = ''
    },
    { flush: 'sync' },
  )
  watch(
    intent,
    () => {
      asked += 1 // whatever is on its way answers another question
      check.value = undefined
      renew()
      later(TYPING_MS)
    },
    { flush: 'sync' },
  )
  watch(isOpen, (on) => {
    if (on) return
    asked += 1
    clearTimeout(timer)
  })
  const onVisible = (): void => {
    if (!document.hidden) later(0)
  }
  document.addEventListener('visibilitychange', onVisible)
  onUnmounted(() => {
    asked += 1
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onVisible)
  })

  function later(afterMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void ask(), afterMs)
  }

  async function ask(): Promise<void> {
    clearTimeout(timer)
    if (!isOpen.value || !isWhole.value) return
    asked += 1
    const mine = asked
    const isOrder = isComplete.value
    const itsTerms = terms.value
    const answer = await answerTo(body.value)
    if (mine !== asked) return
    if (answer instanceof Fault) fail(answer)
    else {
      toldOf.value = itsTerms
      take(answer, isOrder)
    }
    // What was filled in makes another order, which is to be asked about at once.
    if (mine !== asked) later(0)
    else later(state.value === 'asking' ? FIRST_QUOTE_AGAIN_MS : AGAIN_MS)
  }
  /** An answer about another stock is none. */
  async function answerTo(question: typeof body.value): Promise<PreviewAnswer | Fault> {
    try {
      const answer = await desk.ask<PreviewAnswer>(PREVIEW, question, ANSWER_MS_MAX)
      const isOfStock = bareCode(answer.stock_code) === bareCode(question.stock_code)
      return isOfStock
        ? answer
        : new Fault('connection', answer.stock_code, { code: 'OTHER_STOCK' })
    } catch (error) {
      return asFault(error)
    }
  }

  function fail(reason: Fault): void {
    fault.value = reason
    faultOf.value = intent.value
    check.value = undefined
  }
  function take(answer: PreviewAnswer, isOrder: boolean): void {
    const told = { answer, atMs: Date.now() }
    fault.value = undefined
    facts.value = told
    if (isOrder) check.value = told
    filled.value = []
    fillIn(answer)
  }
  /** Latest price and a volume, once, where the operator has typed none. */
  function fillIn({ quote: seen, quantity_max: most, lot_min: lot }: PreviewAnswer): void {
    const isEmpty = form.type === LIMIT && !touched.price && form.price === ''
    if (isEmpty && seen !== null && seen.last_price > 0) {
      form.price = seen.last_price
      filled.value = [...filled.value, 'price']
    }
    if (!touched.volume && form.volume === '') {
      form.volume = form.side === 'sell' && most !== null && most > 0 ? most : lot
      filled.value = [...filled.value, 'volume']
    }
  }

  return {
    form,
    touched,
    filled,
    facts,
    check,
    fault,
    key,
    quote,
    ageMs,
    lots,
    chosen,
    name,
    types,
    takesPrice,
    isWhole,
    isComplete,
    body,
    intent,
    state,
    canPlace,
    begin,
    renew,
    ask,
  }
}
