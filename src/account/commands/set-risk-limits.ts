import { ServiceError } from '../../domain/errors.ts'
import { isToConfirm, riskShown } from '../../domain/settings/risk.ts'
import type { SetRiskLimits, WantedLimit } from '../../protocol/account.ts'
import { riskLimitFields } from '../answers/risk-limits.ts'
import { type LimitChange, limitIn } from '../model/risk-limits.ts'
import type { AccountState } from '../model/state.ts'
import { watchTriggers } from '../orders/triggers.ts'
import type { Turn } from '../turn/turn.ts'

/** Characters at the end of an account id that say which one is meant. */
const TAIL = 4

/**
 * A person changes limits, all or none. They hold from the next order on, and over restarts, until somebody puts them
 * back to what the file says. What the triggers watch is looked at again at once.
 *
 * Errors  `CONFLICT` when one of them is not what the caller has seen;
 *         `CONFIRMATION_NEEDED` when more would get through at a real broker and nobody has confirmed it.
 */
export function setRiskLimits(
  turn: Turn,
  { limits, confirm, source }: SetRiskLimits,
  ref: number,
): void {
  const { state } = turn
  mustBeAsSeen(state, limits)
  const changes = limits.map((wanted) => changeOf(state, wanted)).filter(isChange(state))
  mustBeConfirmed(state, changes, confirm)
  if (changes.length > 0) {
    turn.emit({ kind: 'riskChanged', changes, source })
    state.dataVersion += 1
    turn.warn(`risk limits are changed by ${source}: ${textOf(changes)}`)
    watchTriggers(turn)
    turn.after({ kind: 'bands' })
  }
  turn.reply(ref, { fields: riskLimitFields(state), changedCount: changes.length })
}

function changeOf({ policy, risk }: AccountState, { name, to }: WantedLimit): LimitChange {
  const after = to ?? limitIn(policy.risk, name)
  return { limit: name, before: limitIn(risk, name), after, isFiles: to === null }
}

/** Putting back what was changed to the very value of the file is a change too. */
const isChange =
  ({ changedLimits }: AccountState) =>
  ({ limit, before, after, isFiles }: LimitChange): boolean =>
    before !== after || (isFiles && changedLimits[limit] !== undefined)

function mustBeAsSeen({ risk }: AccountState, limits: readonly WantedLimit[]): void {
  const others = limits.filter(({ name, from }) => limitIn(risk, name) !== from)
  if (others.length === 0) return
  const now = others.map(({ name }) => `${name} = ${riskShown(name, limitIn(risk, name))}`)
  const text = `风控上限已被他人修改，请按现值重新填写 (a limit is another one by now; look at it and say it again): ${now.join(', ')}`
  const details = others.map(({ name }) => {
    const held = riskShown(name, limitIn(risk, name))
    return [`limits.${name}.from`, [`现在是 ${held} (it is ${held} now)`]]
  })
  throw new ServiceError('CONFLICT', text, Object.fromEntries(details))
}

function mustBeConfirmed(
  { policy }: AccountState,
  changes: readonly LimitChange[],
  confirm: string,
): void {
  if (!policy.isReal || confirm === policy.accountId.slice(-TAIL)) return
  const loose = changes.filter(({ limit, before, after }) => isToConfirm(limit, before, after))
  if (loose.length === 0) return
  const text = `放宽实盘账户的风控上限须填写账户号后四位 (a looser limit of a live account needs the last four characters of its id in confirm): ${textOf(loose)}`
  throw new ServiceError('CONFIRMATION_NEEDED', text, { confirm: [text] })
}

const textOf = (changes: readonly LimitChange[]): string =>
  changes
    .map(
      ({ limit, before, after }) =>
        `${limit} ${riskShown(limit, before)} → ${riskShown(limit, after)}`,
    )
    .join(', ')
