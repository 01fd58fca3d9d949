import { reactive } from 'vue'

/** What the keyboard acts on, and which windows are open. */
export const picked = reactive({
  /** Code of the stock that was picked last, bare. */
  code: '',
  orderId: '',
  isDrawerOpen: false,
  ticket: undefined as { side: 'buy' | 'sell'; code: string } | undefined,
  /** Client order id of the order that is being changed; empty: none. */
  amending: '',
  /** How often the grid of a stock was asked for. */
  gridsAsked: 0,
  isHelpOpen: false,
})

export function openStock(code: string): void {
  picked.code = code
  picked.isDrawerOpen = true
}

export function openTicket(side: 'buy' | 'sell', code: string): void {
  picked.ticket = { side, code }
}
