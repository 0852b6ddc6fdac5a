"""API-SPORTS: leagues, teams, games and tables of several sports. All endpoints only read.

Source: api-sports.io/documentation. A free account has 100 requests a day for each sport.
"""

from service.integrations.vendors.api_sports.baseball import ENDPOINTS as BASEBALL
from service.integrations.vendors.api_sports.basketball import ENDPOINTS as BASKETBALL
from service.integrations.vendors.api_sports.football_competitions import (
    ENDPOINTS as COMPETITIONS,
)
from service.integrations.vendors.api_sports.football_fixtures import ENDPOINTS as FIXTURES
from service.integrations.vendors.api_sports.football_players import ENDPOINTS as PLAYERS
from service.integrations.vendors.api_sports.nfl import ENDPOINTS as NFL

ENDPOINTS = (*COMPETITIONS, *FIXTURES, *PLAYERS, *BASKETBALL, *BASEBALL, *NFL)
