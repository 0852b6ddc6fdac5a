"""Polymarket: prediction markets. No endpoint needs a key.

An event has markets, each with outcomes; an outcome is traded as a token. The Gamma API describes
events, the CLOB API has prices and order books. Polymarket writes many numbers as texts, and the
lists of a market as texts of JSON.
Source: docs.polymarket.com/api-reference.
"""

from service.integrations.vendors.polymarket.events import ENDPOINTS as EVENTS
from service.integrations.vendors.polymarket.prices import ENDPOINTS as PRICES

ENDPOINTS = (*EVENTS, *PRICES)
