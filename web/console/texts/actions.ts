/** Texts of what the console does: tickets, confirmations, results. */
export const actions = {
  'action.buy': ['买入', 'Buy'],
  'action.sell': ['卖出', 'Sell'],
  'action.cancelOrder': ['撤单', 'Cancel'],
  'action.cancelRequested': [
    '撤单请求已受理，以委托状态为准',
    'Cancel requested; the order status tells the outcome',
  ],
  'action.initialize': ['重建持仓信息', 'Rebuild positions'],
  'action.done': ['完成', 'Done'],
  'confirm.changes': ['会改变', 'This changes'],
  'confirm.keeps': ['不会改变', 'This does not touch'],
  'confirm.no': ['取消', 'Go back'],
  'confirm.tooMany': [
    '没有执行“{title}”：等待回答的问题太多。先回答它们，再做一次',
    '“{title}” was not done: too many questions wait for an answer. Answer them, then do it again',
  ],
  'confirm.type': ['输入“{word}”以确认', 'Type “{word}” to confirm'],
  'number.wrong': ['读不出这个数：小数点用“.”', 'Cannot be read: write the point as “.”'],
  'confirm.tail': [
    '输入账户末四位 {tail} 以确认',
    'Type the last four digits {tail} of the account',
  ],

  'cancel.title': ['撤销委托', 'Cancel an order'],
  'cancel.confirm': ['撤单', 'Cancel the order'],
  'cancel.changes': [
    '{side} {stock}，{price} × {volume} 股：请求撤销未成交的 {rest} 股',
    '{side} {stock}, {volume} shares at {price}: asks to cancel the {rest} not yet filled',
  ],
  'cancel.line': [
    '撤单 {side} {stock}，{price} × {volume} 股',
    'Cancel {side} {stock}, {volume} shares at {price}',
  ],
  'cancel.over': ['这笔委托已经结束：{status}', 'This order has ended: {status}'],
  'cancel.keeps': ['已成交的 {traded} 股', 'The {traded} shares already filled'],
  'action.amend': ['改单', 'Change'],
  'amend.title': ['改单', 'Change an order'],
  'amend.now': [
    '现在：{price} × {volume} 股，已成交 {traded} 股',
    'Now: {volume} shares at {price}, {traded} filled',
  ],
  'amend.line': [
    '改单 {side} {stock}：{from} → {to} 股',
    'Change {side} {stock}: {from} → {to} shares',
  ],
  'amend.volume': ['总数量（含已成交）', 'Shares in all, with those filled'],
  'amend.means': [
    '先撤单；撤成且成交到齐后，余下 {left} 股以 {price} 另报一笔（约 {amount}），排队位置会失去。限时内未撤成则不再另报。',
    'It is canceled first. Once that is confirmed and all fills are known, the {left} shares that are left go out as a new order at {price} (about {amount}), behind others in the queue. If that takes too long, nothing takes its place.',
  ],
  'amend.send': [
    '撤单，另报{side} {price} × {left} 股',
    'Replace it with: {side} {left} at {price}',
  ],

  'cancelAll.title': ['撤销全部在途委托', 'Cancel all orders in flight'],
  'cancelAll.changes': [
    '现有 {n} 笔在途委托（买入 {buys} 笔，卖出 {sells} 笔）的未成交部分',
    'What is not filled of the {n} orders that are open now: {buys} purchases, {sells} sales',
  ],
  'cancelAll.late': [
    '确认之前新发出的委托也一起撤，包括止损卖出',
    'Also those that are sent before you confirm, protective sales among them',
  ],
  'cancelAll.unread': [
    '没能读到最新的委托：确认之前刚发出的委托可能没有撤',
    'The newest orders could not be read: those that were sent just before you confirmed may still be open',
  ],
  'cancelAll.none': ['现在没有在途委托', 'No order is open now'],
  'cancelAll.keeps': ['已成交部分、策略开关、网格会话', 'Fills, switches and grid sessions'],

  'gate.on.title': ['打开{gate}', 'Switch on: {gate}'],
  'gate.off.title': ['关闭{gate}', 'Switch off: {gate}'],
  'gate.master.on': [
    '策略可以自动下单（其他开关也开着时）',
    'Strategies may trade by themselves (with the other switches on)',
  ],
  'gate.master.off': ['策略不再产生新委托', 'Strategies place no more orders'],
  'gate.stopProfit.on': [
    '止盈止损信号会自动卖出',
    'Take-profit and stop-loss signals sell by themselves',
  ],
  'gate.stopProfit.off': ['止盈止损只提示，不下单', 'Take-profit and stop-loss no longer sell'],
  'gate.grid.on': ['网格会话会自动买卖', 'Grid sessions buy and sell by themselves'],
  'gate.grid.off': ['网格会话不再下单', 'Grid sessions place no more orders'],
  'gate.allowBuy.on': [
    '允许买入，人工和自动都算',
    'Purchases are allowed, by hand and by strategy',
  ],
  'gate.allowBuy.off': ['拒绝一切买入', 'Every purchase is refused'],
  'gate.allowSell.on': ['允许卖出，人工和自动都算', 'Sales are allowed, by hand and by strategy'],
  'gate.allowSell.off': ['拒绝一切卖出，包括止损', 'Every sale is refused, protective ones too'],
  'stockExit.on': ['打开{stock}的自动止盈止损', 'Exits of {stock}: on'],
  'stockExit.off': ['关闭{stock}的自动止盈止损', 'Exits of {stock}: off'],
  'stockExit.on.changes': [
    '{stock}：跌到止损价 {stop} 或满足止盈条件时自动卖出',
    '{stock}: sold by itself at its stop {stop}, or when a take-profit is due',
  ],
  'stockExit.off.changes': [
    '{stock}：跌到止损价 {stop} 也不会自动卖出，止盈也停',
    '{stock}: not sold at its stop {stop} any more, and no take-profit',
  ],
  'stockExit.now': [
    '现价 {price} 已到或低于止损价、止盈卖出价：其他开关都开着时会立即卖出',
    'The price {price} is at or below the stop, or where profit is taken: with the other switches on it is sold at once',
  ],
  'exits.atOnce': [
    '现价已到或低于止损价、止盈卖出价的持仓（{n} 只）：{stocks}。其他开关都开着时会立即卖出',
    'Holdings at or below their stop, or where profit is taken ({n}): {stocks}. With the other switches on they are sold at once',
  ],
  'exits.atOnce.unread': [
    '还没有读到持仓：现价已到或低于止损价、止盈卖出价的，其他开关都开着时会立即卖出',
    'The holdings have not been read: those at or below their stop, or where profit is taken, are sold at once with the other switches on',
  ],
  'exits.bought': [
    '现价已到补仓价、仍高于止损价的持仓（{n} 只）：{stocks}。其他开关都开着、资金和上限允许时会立即买入',
    'Holdings at or below the price at which more is bought, and above their stop ({n}): {stocks}. With the other switches on, and as far as cash and limits go, they are bought at once',
  ],
  'exits.bought.unread': [
    '现价已到补仓价、仍高于止损价的持仓，其他开关都开着、资金和上限允许时会立即买入',
    'Holdings at or below the price at which more is bought, and above their stop, are bought at once with the other switches on, as far as cash and limits go',
  ],
  'stockExit.keeps': [
    '在途委托、网格和其他股票的开关',
    'Orders in flight, grids and the switches of other stocks',
  ],
  'gate.keeps': ['在途委托和其他开关', 'Orders in flight and the other switches'],
} as const
