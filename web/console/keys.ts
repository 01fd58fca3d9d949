import { nextTick, onMounted, onUnmounted } from 'vue'
import { orderKey } from '../shared/rows.ts'
import { desk as questions } from './act.ts'
import { cancelOrder } from './commands.ts'
import type { useDesk } from './desk.ts'
import { openTicket, picked } from './picked.ts'
import { router } from './router.ts'

type Desk = ReturnType<typeof useDesk>

/** True where a letter is text and not a command. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])'))
  )
}

/**
 * A window lies over the screen, of whatever part of the page: a letter in it is no command to what is behind it. The drawer
 * is none, nor is one that is just going: `K` right after `Esc` is meant.
 */
const isWindowOpen = (): boolean =>
  [...document.querySelectorAll('.el-overlay-dialog')].some(
    (one) => one.checkVisibility() && one.closest('.dialog-fade-leave-active') === null,
  )

/** The keys of the console and what they do. */
export const KEYS: readonly {
  readonly key: string
  readonly name: string
  readonly act: (desk: Desk) => unknown
}[] = [
  {
    key: '/',
    name: 'search',
    act: () => document.querySelector<HTMLInputElement>('input[type="search"]')?.focus(),
  },
  { key: 'b', name: 'buy', act: () => openTicket('buy', picked.code) },
  { key: 's', name: 'sell', act: () => openTicket('sell', picked.code) },
  { key: 'c', name: 'cancel', act: cancelPicked },
  {
    key: 'g',
    name: 'grid',
    act: () => askGrid(picked.code),
  },
  { key: 'k', name: 'kill', act: toKillSwitch },
  { key: '?', name: 'help', act: openHelp },
]

/** The grid of a stock, or the wizard for one; asked for again it is there again. */
export async function askGrid(code: string): Promise<void> {
  await router.push({ path: '/grid', query: { code } })
  picked.gridsAsked += 1 // before that the screen is of the stock that was asked for last
}

function openHelp(): void {
  picked.isHelpOpen = true
}

/**
 * The picked order, or the only one where none was picked. Among several, or where the picked one has ended, one is picked
 * with the focus, on their screen: another one than was meant is not asked about.
 */
async function cancelPicked(desk: Desk): Promise<void> {
  const { pendingOrders: pending } = desk
  const isOnly = picked.orderId === '' && pending.length === 1
  const order = isOnly ? pending[0] : pending.find((row) => orderKey(row) === picked.orderId)
  if (order !== undefined) return cancelOrder(desk, order)
  if (pending.length > 0) await focusOn('/orders', '[data-cancel]')
}

/** To the first level that stops something: Enter asks for it, Tab goes on to the others. */
function toKillSwitch(): Promise<void> {
  return focusOn('/risk', '[data-level].danger')
}

async function focusOn(path: string, selector: string): Promise<void> {
  await router.push(path)
  await nextTick()
  document.querySelector<HTMLElement>(selector)?.focus()
}

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey || metaKey || altKey

/** Listens for the keys while the component lives; silent while a window is open or text is typed. */
export function useKeys(desk: Desk): void {
  const onKey = (event: KeyboardEvent): void => {
    const isOver = questions.asked !== undefined || picked.ticket !== undefined || isWindowOpen()
    if (isOver || desk.door !== 'open' || hasModifier(event) || isTyping(event.target)) return
    const found = KEYS.find(({ key }) => key === event.key.toLowerCase())
    if (found === undefined) return
    event.preventDefault()
    void found.act(desk)
  }
  onMounted(() => document.addEventListener('keydown', onKey))
  onUnmounted(() => document.removeEventListener('keydown', onKey))
}
