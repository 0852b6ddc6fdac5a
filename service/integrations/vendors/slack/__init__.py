"""Slack: the channels of one workspace, their messages, and new messages of a bot.

Source: docs.slack.dev/reference/methods. All users of the service share the bot.
"""

from service.integrations.vendors.slack.channels import ENDPOINTS as CHANNELS
from service.integrations.vendors.slack.messages import ENDPOINTS as MESSAGES

ENDPOINTS = (*CHANNELS, *MESSAGES)
