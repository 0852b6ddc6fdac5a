"""The MTA: arrivals and alerts of New York's subway."""

from service.integrations.vendors.mta import alerts, arrivals

ENDPOINTS = arrivals.ENDPOINTS + alerts.ENDPOINTS
