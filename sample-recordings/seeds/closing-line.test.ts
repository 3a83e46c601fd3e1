import { beforeEach, expect, it } from 'vitest';
import { closeTicket, replies } from '../src/tickets';
import { seedMemoryTraceResponse } from '../src/memory';

beforeEach(() => {
  seedMemoryTraceResponse('copy_proposal', 'writer', 'closing-line-1', 0, JSON.stringify({
    candidates: ['Have a good week.', 'Write to us whenever you like.'],
  }));
  seedMemoryTraceResponse('critique', 'critic', 'closing-line-1', 0, '');
  seedMemoryTraceResponse('critique', 'critic', 'closing-line-1', 1, JSON.stringify({
    best: 0,
    reason: 'Short, and promises nothing.',
  }));
});

it.each(replies)('closes with a line for %s', async (name, reply) => {
  seedMemoryTraceResponse('decision_collapse', 'router', `closing-line-${name}`, 0, JSON.stringify(reply));
  expect(await closeTicket(name)).toMatchSnapshot();
});
