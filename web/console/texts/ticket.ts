/** Texts of the order ticket and of its confirmation. */
export const ticket = {
  'ticket.title': ['下单', 'Order ticket'],
  'ticket.type': ['报价方式', 'Price type'],
  'ticket.limit': ['限价', 'Limit'],
  'ticket.latest': ['最新价', 'Latest price'],
  'ticket.fees': ['预计费用', 'Estimated fees'],
  'ticket.share.buy.label': ['占可用资金', 'Of the cash'],
  'ticket.share.sell.label': ['占可卖数量', 'Of the sellable'],
  'ticket.share.buy': ['占可用资金 {share}', 'Takes {share} of the cash'],
  'ticket.share.sell': ['占可卖数量 {share}', 'Takes {share} of the sellable shares'],
  'ticket.nameless': ['名称未知', 'Name not known'],
  'ticket.quote': ['行情', 'Quote'],
  'ticket.up': ['涨停', 'Upper limit'],
  'ticket.down': ['跌停', 'Lower limit'],
  'ticket.most.buy': ['最多可买', 'Can buy'],
  'ticket.most.sell': ['最多可卖', 'Can sell'],
  'ticket.lots': ['最少 {least}，递增 {step}', 'Least {least}, steps of {step}'],
  'ticket.parts': ['按比例填入数量', 'Volume as a part of the most'],
  'ticket.takePrice': ['以此价填入：{at}', 'Take this price: {at}'],
  'ticket.seconds': ['{n} 秒前', '{n} s ago'],
  'ticket.minutes': ['{n} 分钟前', '{n} min ago'],
  'ticket.hours': ['{n} 小时前', '{n} h ago'],
  'ticket.noCode': ['输入六位股票代码。', 'Type the six digits of the stock.'],
  'ticket.asking': [
    '正在取 {code} 的行情，价格还没有核对。',
    'Waiting for the quote of {code}: nothing is checked yet.',
  ],
  'ticket.noQuote': [
    '没有 {code} 的行情：最新价、涨跌停和是否停牌都无法核对。',
    'No quote of {code}: latest price, limits and halt cannot be checked.',
  ],
  'ticket.noQuote.latest': [
    '没有行情，不能按最新价下单；可改用限价。',
    'Without a quote there is no order at the latest price; use a limit.',
  ],
  'ticket.halted': [
    '{code} 没有最新价，可能停牌。',
    '{code} has no latest price: it may be halted.',
  ],
  'ticket.oldQuote': [
    '行情已停更：最新价是 {age} 的，下单前请自己核对。',
    'The quote stands still: the latest price is of {age}. Check it yourself.',
  ],
  'ticket.incomplete': [
    '填写价格和数量后自动试算。',
    'The preview starts when price and volume are there.',
  ],
  'ticket.checking': ['正在核对这笔委托。', 'The order is being checked.'],
  'ticket.outdated': [
    '上次核对已过时，服务没有新的应答；暂不能下单。',
    'The last check is out of date and the service does not answer: no order for now.',
  ],
  'ticket.against': ['{name}：{actual}，限制 {limit}', '{name}: {actual}, limit {limit}'],
  'ticket.passes': ['试算通过：{n} 条规则', 'Preview: {n} rules pass'],
  'ticket.confirm': ['确认{side} {name}（{code}）', 'Confirm: {side} {name} ({code})'],
  'ticket.confirm.heading': ['请核对', 'Please check'],
  'ticket.confirm.line': [
    '{side} {name}（{code}）{volume} 股，价格 {at}',
    '{side} {volume} shares of {name} ({code}) at {at}',
  ],
  'ticket.confirm.last': ['最新价 {last}（{age}）', 'Latest price {last} ({age})'],
  'ticket.confirm.off': [
    '最新价 {last}（{age}），委托价与它相差 {off}',
    'Latest price {last} ({age}); the order is {off} from it',
  ],
  'ticket.confirm.sum': ['金额约 {amount}，费用约 {fees}', 'About {amount}, fees about {fees}'],
  'ticket.confirm.account': ['账户 {account}（{mode}）', 'Account {account} ({mode})'],
  'ticket.confirm.word': [
    '没有行情：输入代码 {word} 以确认',
    'No quote: type the code {word} to confirm',
  ],
  'ticket.gone': [
    '委托单已关闭或已改变，请取消。',
    'The ticket was closed or has changed: please cancel.',
  ],
  'ticket.unknown': [
    '结果未知：请到委托页核对，服务不会重发',
    'In doubt: look at the orders screen; it is never sent again',
  ],
  'ticket.unanswered': [
    '没有收到应答，这笔委托可能已经发出：先到委托页核对。不改内容再次提交，仍是同一笔。',
    'No answer came: the order may have been sent. Look at the orders screen first. Sent again unchanged it stays the same order.',
  ],
  'help.enter': [
    '委托单：代码 → 价格 → 数量 → 试算 → 确认',
    'Ticket: code → price → volume → preview → confirm',
  ],
} as const
