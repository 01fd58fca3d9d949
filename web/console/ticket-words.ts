import { computed, type Ref } from 'vue'
import { amount, bareCode, MISSING, percent, price, shares } from '../shared/format.ts'
import { money } from '../shared/money.ts'
import { said } from '../shared/said.ts'
import type { Question } from './act.ts'
import type { useDesk } from './desk.ts'
import { priceTypeName } from './risk-words.ts'
import { t } from './texts.ts'
import { LATEST, LIMIT, type useTicket } from './ticket.ts'
import type { TicketState } from './ticket-state.ts'

type Desk = ReturnType<typeof useDesk>
type Ticket = ReturnType<typeof useTicket>

/** What a ticket says of its order, and asks before it is placed. */
export function useTicketWords(store: Desk, ticket: Ticket, isOpen: Ref<boolean>) {
  const { form, facts, check, fault, quote, state, canPlace, isComplete } = ticket
  const code = computed(() => facts.value?.answer.stock_code ?? form.code)
  const verdict = computed(() => check.value?.answer)
  const refused = computed(() => verdict.value?.rules.filter(({ ok }) => !ok) ?? [])
  const passed = computed(
    () => verdict.value?.rules.filter(({ status }) => status === 'pass').length ?? 0,
  )
  const ageText = computed(() => ageWords(ticket.ageMs.value))
  /** What the ticket says of itself while it is not simply good. */
  const remark = computed(() => {
    const named = { code: code.value.trim(), age: ageText.value }
    if (state.value !== 'noQuote') return stateText(state.value, named)
    if (quote.value !== undefined) return t('ticket.halted', named)
    return t('ticket.noQuote', named) + (isComplete.value ? withoutQuote(form.type) : '')
  })
  const isWarning = computed(() => !['noCode', 'incomplete'].includes(state.value))
  /** Share of the cash, or of what may be sold, that the order takes; a percent number. */
  const share = computed(() => {
    if (verdict.value === undefined) return undefined
    const { side, rules, amount: value, fees, quantity } = verdict.value
    const limit = rules.find(({ name }) => name === (side === 'buy' ? 'cash' : 'sellable'))?.limit
    if (typeof limit !== 'number' || limit <= 0) return undefined
    return ((side === 'buy' ? value + fees.total : quantity) / limit) * 100
  })

  function latestLine(): string {
    const last = quote.value?.last_price ?? 0
    if (last <= 0) return remark.value
    const limit = form.type === LIMIT ? Number(form.price) : undefined
    return offWords({ code: code.value, last, ageMs: ticket.ageMs.value, limit })
  }
  /** A market order has no price of its own: it is reckoned with the worst that is known. */
  function worstLine(): readonly string[] {
    const worst = verdict.value?.price ?? 0
    if (form.type === LIMIT || form.type === LATEST || worst <= 0) return []
    const at = price(worst, code.value)
    return [t(Number(form.price) > 0 ? 'ticket.confirm.bound' : 'ticket.confirm.worst', { at })]
  }
  function inTheWay(): string {
    if (fault.value !== undefined) {
      return fault.value.kind === 'connection' ? t('fault.connection') : said(fault.value.message)
    }
    return said(refused.value[0]?.message) || remark.value
  }

  /** The order as it is written, in a line that no other one has. */
  function line(): string {
    const at =
      form.type === LIMIT ? price(Number(form.price), code.value) : priceTypeName(form.type)
    const volume = shares(Number(form.volume))
    return t('ticket.confirm.line', { ...named(), volume, at })
  }
  const named = () => ({
    side: t(`side.${form.side}`),
    name: ticket.name.value ?? t('ticket.nameless'),
    code: code.value,
  })

  /** The question before an order, which goes on telling price, age and what stands in its way. */
  function question(): Question {
    const { intent } = ticket
    const asked = intent.value
    const what = line()
    const before = state.value
    const blind = isBlindly(before) ? before : undefined
    const word = bareCode(code.value)
    const part = form.side
    return {
      title: t('ticket.confirm', named()),
      heading: t('ticket.confirm.heading'),
      changes: () => [
        what,
        ...worstLine(),
        latestLine(),
        t('ticket.confirm.sum', {
          amount: money(verdict.value?.amount),
          fees: amount(verdict.value?.fees.total),
        }),
        ...(share.value === undefined
          ? []
          : [t(`ticket.share.${part}`, { share: percent(share.value).replace('+', '') })]),
        t('ticket.confirm.account', {
          account: store.accountId || MISSING,
          mode: t(`mode.${store.mode}`),
        }),
      ],
      confirm: t(`action.${part}`),
      isDanger: store.mode === 'live' || blind !== undefined,
      isEntered: true,
      ...(blind && { word, wordLabel: t(`ticket.confirm.word.${blind}`, { word }) }),
      blocked: () => {
        if (!isOpen.value || intent.value !== asked) return t('ticket.gone')
        if (canPlace.value && (blind !== undefined || !isBlindly(state.value))) return undefined
        return inTheWay()
      },
    }
  }

  return { code, verdict, refused, passed, ageText, remark, isWarning, share, line, question }
}

/** How old a quote is. */
function ageWords(ageMs = 0): string {
  const seconds = Math.floor(ageMs / 1_000)
  if (seconds < 60) return t('ticket.seconds', { n: seconds })
  if (seconds < 3_600) return t('ticket.minutes', { n: Math.floor(seconds / 60) })
  return t('ticket.hours', { n: Math.floor(seconds / 3_600) })
}

/** The latest price, how old it is, and how far a limit is from it. */
export function offWords(of: {
  readonly code: string
  readonly last: number
  readonly ageMs: number | undefined
  readonly limit: number | undefined
}): string {
  const told = { last: price(of.last, of.code), age: ageWords(of.ageMs) }
  const off = of.limit === undefined ? 0 : (of.limit / of.last - 1) * 100
  if (!(Math.abs(off) >= 0.005)) return t('ticket.confirm.last', told)
  return t('ticket.confirm.off', { ...told, off: percent(off) })
}

/** What the ticket cannot vouch for: the operator says a word of his own. */
type Blind = 'noQuote' | 'unchecked'
const isBlindly = (state: TicketState): state is Blind =>
  state === 'noQuote' || state === 'unchecked'

function stateText(
  of: Exclude<TicketState, 'noQuote'>,
  named: { code: string; age: string },
): string {
  if (of === 'failed' || of === 'refused' || of === 'passed') return ''
  return t(`ticket.${of}`, named)
}

function withoutQuote(type: number): string {
  if (type === LIMIT) return ''
  return t(type === LATEST ? 'ticket.noQuote.latest' : 'ticket.noQuote.market')
}
